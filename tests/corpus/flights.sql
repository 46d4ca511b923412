-- f01: answered
SELECT COUNT(*) FROM flights;

-- f02: answered
SELECT carrier, COUNT(*) AS n FROM flights GROUP BY carrier ORDER BY n DESC;

-- f03: answered
SELECT a.name, COUNT(*) AS flights, AVG(f.arr_delay) AS mean_delay
FROM flights f JOIN airlines a ON f.carrier = a.carrier
GROUP BY a.name ORDER BY mean_delay DESC;

-- f04: answered
SELECT origin, AVG(dep_delay), STDDEV(dep_delay), MIN(dep_delay), MAX(dep_delay) FROM flights GROUP BY origin;

-- f05: answered
SELECT month, AVG(dep_delay) FROM flights WHERE dep_delay IS NOT NULL GROUP BY month ORDER BY month;

-- f06: answered
SELECT dest, COUNT(*) AS n FROM flights WHERE month IN (6, 7, 8) GROUP BY dest HAVING COUNT(*) > 1000 ORDER BY n DESC LIMIT 10;

-- f07: answered
SELECT COUNT(DISTINCT tailnum) FROM flights WHERE carrier = 'UA';

-- f08: answered
SELECT hour, COUNT(*) AS flights, SUM(CASE WHEN dep_delay > 15 THEN 1 ELSE 0 END) AS late,
       100.0 * SUM(CASE WHEN dep_delay > 15 THEN 1 ELSE 0 END) / COUNT(*) AS pct_late
FROM flights GROUP BY hour ORDER BY hour;

-- f09: answered
SELECT p.manufacturer, COUNT(*) AS n, AVG(f.distance)
FROM flights f, planes p WHERE f.tailnum = p.tailnum
GROUP BY p.manufacturer ORDER BY n DESC;

-- f10: answered
SELECT strftime(time_hour, '%Y-%m') AS month, COUNT(*) AS flights FROM flights GROUP BY 1 ORDER BY 1;

-- f11: answered
SELECT dayname(time_hour) AS weekday, AVG(arr_delay) AS delay FROM flights GROUP BY weekday;

-- f12: answered
SELECT COUNT(*) FROM flights WHERE dep_time IS NULL;

-- f13: open: several shares in one call
SELECT quantile_cont(dep_delay, [0.25, 0.5, 0.75]) FROM flights WHERE origin = 'JFK';

-- f14: answered
SELECT carrier, MEDIAN(air_time) FROM flights WHERE dest = 'LAX' GROUP BY carrier;

-- f15: answered
SELECT CORR(dep_delay, arr_delay) FROM flights;

-- f16: answered
SELECT REGR_SLOPE(air_time, distance), REGR_INTERCEPT(air_time, distance), REGR_R2(air_time, distance) FROM flights;

-- f17: private: whether a plane is there: with and without it, the list has its number or not
SELECT tailnum, COUNT(*) AS n FROM flights GROUP BY tailnum ORDER BY n DESC LIMIT 10;

-- f18: answered
SELECT AVG(n) FROM (SELECT tailnum, COUNT(*) AS n FROM flights GROUP BY tailnum) t;

-- f19: answered
SELECT flights_bucket, COUNT(*) FROM (
  SELECT tailnum, CASE WHEN COUNT(*) < 10 THEN '<10' WHEN COUNT(*) < 100 THEN '10-99' ELSE '100+' END AS flights_bucket
  FROM flights GROUP BY tailnum
) x GROUP BY flights_bucket;

-- f20: private: the rows of one plane stand in the list, or are not there
SELECT * FROM flights LIMIT 100;

-- f21: answered
SELECT f.origin, f.dest, a.name, COUNT(*) AS trips
FROM flights f LEFT JOIN airports a ON f.dest = a.faa
WHERE a.tz = -8
GROUP BY f.origin, f.dest, a.name
ORDER BY trips DESC;

-- f22: answered
SELECT COUNT(*) FROM flights WHERE tailnum IN (SELECT tailnum FROM planes WHERE seats > 200);

-- f23: answered
SELECT COUNT(*) FROM flights f WHERE NOT EXISTS (SELECT 1 FROM planes p WHERE p.tailnum = f.tailnum);

-- f24: answered
SELECT COUNT(*) FROM flights WHERE dest IN (SELECT faa FROM airports WHERE alt > 5000);

-- f25: answered
SELECT carrier, COUNT(*) AS n, COUNT(*) * 100.0 / SUM(COUNT(*)) OVER () AS share FROM flights GROUP BY carrier;

-- f26: answered
WITH monthly AS (SELECT month, COUNT(*) AS n FROM flights GROUP BY month)
SELECT month, n, n - LAG(n) OVER (ORDER BY month) AS change FROM monthly ORDER BY month;

-- f27: answered
WITH ranked AS (
  SELECT origin, dest, COUNT(*) AS n, ROW_NUMBER() OVER (PARTITION BY origin ORDER BY COUNT(*) DESC) AS r
  FROM flights GROUP BY origin, dest
)
SELECT origin, dest, n FROM ranked WHERE r <= 3;

-- f28: answered
SELECT floor(dep_delay / 15) * 15 AS bin, COUNT(*) AS n FROM flights WHERE dep_delay BETWEEN -30 AND 180 GROUP BY bin ORDER BY bin;

-- f29: answered
SELECT CASE WHEN hour < 6 THEN 'night' WHEN hour < 12 THEN 'morning' WHEN hour < 18 THEN 'afternoon' ELSE 'evening' END AS part,
       AVG(arr_delay) FROM flights GROUP BY 1;

-- f30: answered
SELECT COUNT(*) FILTER (WHERE arr_delay > 60) AS very_late, COUNT(*) FILTER (WHERE arr_delay <= 0) AS on_time, COUNT(*) AS total FROM flights;

-- f31: open: an aggregate that is not built
SELECT origin, MODE(carrier) FROM flights GROUP BY origin;

-- f32: answered
SELECT carrier, approx_count_distinct(dest) AS destinations FROM flights GROUP BY carrier;

-- f33: answered
SELECT COUNT(DISTINCT (origin, dest)) FROM flights;

-- f34: answered
SELECT 'JFK' AS airport, COUNT(*) FROM flights WHERE origin = 'JFK'
UNION ALL
SELECT 'LGA', COUNT(*) FROM flights WHERE origin = 'LGA';

-- f35: open: several private answers in one statement
SELECT COUNT(*) FROM flights WHERE dep_delay > (SELECT AVG(dep_delay) FROM flights);

-- f36: answered
SELECT p.engine, AVG(2013 - p.year) AS age FROM planes p WHERE p.year IS NOT NULL GROUP BY p.engine;

-- f37: answered
SELECT CASE WHEN p.year >= 2005 THEN 'new' ELSE 'old' END AS fleet, AVG(f.dep_delay) AS delay
FROM flights f JOIN planes p USING (tailnum) GROUP BY fleet;

-- f38: answered
SELECT DATE_TRUNC('day', time_hour) AS __timestamp, COUNT(*) AS count
FROM main.flights
WHERE time_hour >= TIMESTAMP '2013-01-01 00:00:00.000000' AND time_hour < TIMESTAMP '2013-04-01 00:00:00.000000'
GROUP BY DATE_TRUNC('day', time_hour) ORDER BY count DESC LIMIT 10000;

-- f39: answered
SELECT carrier AS carrier, origin AS origin, AVG(dep_delay) AS "AVG(dep_delay)"
FROM main.flights
WHERE dest IN ('LAX', 'SFO', 'SEA')
GROUP BY carrier, origin
ORDER BY "AVG(dep_delay)" DESC
LIMIT 1000;

-- f40: answered
SELECT "main"."flights"."carrier" AS "carrier", COUNT(*) AS "count"
FROM "main"."flights"
WHERE ("main"."flights"."dep_delay" > 30) AND ("main"."flights"."origin" = 'EWR')
GROUP BY "main"."flights"."carrier"
ORDER BY "main"."flights"."carrier" ASC;

-- f41: answered
SELECT "source"."carrier" AS "carrier", "source"."avg" AS "avg"
FROM (SELECT "main"."flights"."carrier" AS "carrier", AVG("main"."flights"."arr_delay") AS "avg"
      FROM "main"."flights" GROUP BY "main"."flights"."carrier") AS "source"
WHERE "source"."avg" > 5
LIMIT 2000;

-- f42: answered
SELECT "flights"."origin" AS "origin", SUM(1) AS "sum:Number of Records:ok"
FROM "main"."flights" "flights"
GROUP BY 1
HAVING (COUNT(1) > 0);

-- f43: answered
SELECT CAST(EXTRACT(YEAR FROM "flights"."time_hour") AS INTEGER) AS "yr:time_hour:ok",
       CAST(EXTRACT(QUARTER FROM "flights"."time_hour") AS INTEGER) AS "qr:time_hour:ok",
       AVG(CAST("flights"."arr_delay" AS DOUBLE)) AS "avg:arr_delay:ok"
FROM "flights"
GROUP BY 1, 2;

-- f44: answered
SELECT "rows"."origin" AS "origin", SUM("rows"."distance") AS "a0"
FROM (SELECT "origin", "distance", "carrier" FROM "flights" AS "$Table" WHERE "carrier" = 'DL') AS "rows"
GROUP BY "origin" LIMIT 1000001;

-- f45: answered
SELECT DATE(DATE_TRUNC('week', flights.time_hour)) AS "flights.week", COUNT(*) AS "flights.count",
       COALESCE(SUM(flights.distance), 0) AS "flights.total_distance"
FROM flights AS flights
GROUP BY 1 ORDER BY 1 DESC FETCH NEXT 500 ROWS ONLY;

-- f46: answered
SELECT "t1"."carrier", "t1"."n"
FROM (SELECT "t0"."carrier", COUNT(*) AS "n" FROM "flights" AS "t0" GROUP BY 1) AS "t1"
ORDER BY "t1"."n" DESC LIMIT 5;

-- f47: answered
SELECT AVG(CAST("t0"."arr_delay" > 15 AS INT)) AS "late_share", STDDEV_SAMP("t0"."arr_delay") AS "sd"
FROM "flights" AS "t0" WHERE "t0"."arr_delay" IS NOT NULL;

-- f48: answered
SELECT COUNT(arr_delay), AVG(arr_delay), STDDEV(arr_delay), MIN(arr_delay),
       PERCENTILE_CONT(0.25) WITHIN GROUP (ORDER BY arr_delay), PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY arr_delay),
       PERCENTILE_CONT(0.75) WITHIN GROUP (ORDER BY arr_delay), MAX(arr_delay)
FROM flights;

-- f49: open: `tacit tables` answers it: several tables are one release of another kind
SELECT origin, carrier, COUNT(*) FROM flights GROUP BY ROLLUP (origin, carrier);

-- f50: answered
SELECT make_date(year, month, day) AS d, COUNT(*) FROM flights GROUP BY d ORDER BY d;

-- f51: answered
SELECT sched_dep_time // 100 AS h, AVG(dep_delay) AS delay FROM flights WHERE carrier = 'B6' GROUP BY h ORDER BY h;

-- f52: answered
SELECT COUNT(*) FROM planes WHERE manufacturer ILIKE '%boeing%';

-- f53: open: regular expressions
SELECT regexp_extract(model, '^[A-Z0-9]+') AS family, COUNT(*) FROM planes GROUP BY family ORDER BY 2 DESC;

-- f54: private: which plane it is: with and without it, its number matches or not
SELECT COUNT(*) FROM planes WHERE regexp_matches(tailnum, '^N[0-9]+UA$');

-- f55: private: the ten longest delays are rows of single planes: without one of them another stands in its place
SELECT tailnum, dep_delay FROM (
  SELECT tailnum, dep_delay, ROW_NUMBER() OVER (ORDER BY dep_delay DESC) AS rn FROM flights
) WHERE rn <= 10;

-- f56: answered
SELECT AVG(gap) FROM (
  SELECT date_diff('hour', LAG(time_hour) OVER (PARTITION BY tailnum ORDER BY time_hour), time_hour) AS gap FROM flights
) g WHERE gap IS NOT NULL;

-- f57: answered
SELECT AVG(max_day) FROM (
  SELECT tailnum, MAX(n) AS max_day FROM (
    SELECT tailnum, month, day, COUNT(*) AS n FROM flights GROUP BY tailnum, month, day
  ) d GROUP BY tailnum
) p;

-- f58: answered
SELECT SPLIT_PART(a.name, ' ', 1) AS brand, SUM(f.distance) FROM flights f JOIN airlines a USING (carrier) GROUP BY 1;

-- f59: answered
SELECT dest, SUM(distance) / SUM(air_time / 60.0) AS mph FROM flights WHERE air_time > 0 GROUP BY dest ORDER BY mph DESC LIMIT 20;

-- f60: undeclared: weather is public, but has two columns as its key, and a lookup has one
SELECT w.visib < 1 AS fog, AVG(f.dep_delay)
FROM flights f JOIN weather w ON f.origin = w.origin AND f.time_hour = w.time_hour
GROUP BY fog;
