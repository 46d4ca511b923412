"""What n shuffled reports cost centrally: brackets whose upper end is a proof and whose lower end is an attack."""
