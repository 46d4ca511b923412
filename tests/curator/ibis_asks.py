"""Questions as people ask them of ibis, and what they would have written in SQL."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ibis
from ibis import _

Ask = Callable[[Any, Any, Any], Any]

SAME: list[tuple[Ask, str]] = [
    (lambda t, r, d: t.count(), "SELECT COUNT(*) FROM visits"),
    (
        lambda t, r, d: t.group_by("region").agg(n=t.count(), m=t.cost.mean()),
        "SELECT region, COUNT(*), AVG(cost) FROM visits GROUP BY region",
    ),
    (
        lambda t, r, d: t.filter(t.age > 18, t.region == "a").group_by("region").agg(n=_.count()),
        "SELECT region, COUNT(*) FROM visits WHERE age > 18 AND region = 'a' GROUP BY region",
    ),
    (
        lambda t, r, d: t.group_by("region").agg(n=_.count()).filter(_.n > 10).order_by(ibis.desc("n")).limit(1),
        "SELECT region, COUNT(*) FROM visits GROUP BY region",
    ),
    (
        lambda t, r, d: t.mutate(decade=(t.age // 10) * 10).group_by("decade").agg(s=_.cost.sum()),
        "SELECT CAST(FLOOR(age / 10) AS BIGINT) * 10, SUM(cost) FROM visits GROUP BY 1",
    ),
    (
        lambda t, r, d: t.join(r, t.region == r.code).group_by("name").agg(n=_.count()),
        "SELECT name, COUNT(*) FROM visits JOIN regions ON visits.region = regions.code GROUP BY name",
    ),
    (
        lambda t, r, d: t.left_join(r, t.region == r.code).filter(_.age > 9).group_by("name").agg(n=_.cost.mean()),
        "SELECT name, AVG(cost) FROM visits LEFT JOIN regions ON visits.region = regions.code WHERE age > 9 GROUP BY 1",
    ),
    (lambda t, r, d: t.patient_id.nunique(), "SELECT COUNT(DISTINCT patient_id) FROM visits"),
    (lambda t, r, d: t.patient_id.approx_nunique(), "SELECT COUNT(DISTINCT patient_id) FROM visits"),
    (
        lambda t, r, d: t.agg(v=t.cost.var(), s=t.cost.std(how="pop"), q=t.cost.median(), r=t.cost.quantile(0.9)),
        "SELECT VARIANCE(cost), STDDEV_POP(cost), MEDIAN(cost), QUANTILE_CONT(cost, 0.9) FROM visits",
    ),
    (
        lambda t, r, d: t.agg(n=t.count(where=t.age > 18), s=t.cost.sum(where=t.ok)),
        "SELECT COUNT(*) FILTER (WHERE age > 18), SUM(cost) FILTER (WHERE ok) FROM visits",
    ),
    (
        lambda t, r, d: t.group_by(b=ibis.cases((t.age < 18, "child"), else_="adult")).agg(n=t.count()),
        "SELECT CASE WHEN age < 18 THEN 'child' ELSE 'adult' END, COUNT(*) FROM visits GROUP BY 1",
    ),
    (lambda t, r, d: t.filter(t.region.like("a%")).count(), "SELECT COUNT(*) FROM visits WHERE region LIKE 'a%'"),
    (
        lambda t, r, d: t.group_by(m=t.day.truncate("M")).agg(n=t.count()),
        "SELECT date_trunc('month', day), COUNT(*) FROM visits GROUP BY 1",
    ),
    (
        lambda t, r, d: t.filter(t.day >= ibis.date(2024, 2, 1), t.at < ibis.timestamp("2024-03-01 10:00:00")).count(),
        "SELECT COUNT(*) FROM visits WHERE day >= DATE '2024-02-01' AND at < TIMESTAMP '2024-03-01 10:00:00'",
    ),
    (
        lambda t, r, d: t.group_by(k=t.region[:1], l=t.region.left(1)).agg(n=t.count()),
        "SELECT SUBSTRING(region, 1, 1), SUBSTRING(region, 1, 1), COUNT(*) FROM visits GROUP BY 1, 2",
    ),
    (
        lambda t, r, d: t.group_by("patient_id").agg(total=t.cost.sum()).agg(m=_.total.mean()),
        'SELECT AVG(t1.total) FROM (SELECT patient_id, SUM(cost) AS total FROM visits GROUP BY patient_id) AS "t1"',
    ),
    (
        lambda t, r, d: t.group_by("region").agg(n=t.count(), s=t.cost.sum()).mutate(a=_.s / _.n),
        "SELECT region, COUNT(*), SUM(cost), SUM(cost) / COUNT(*) FROM visits GROUP BY region",
    ),
    (
        lambda t, r, d: t.group_by("the ward").agg(n=t.count()).order_by("the ward"),
        'SELECT "the ward", COUNT(*) FROM visits GROUP BY "the ward" ORDER BY "the ward"',
    ),
    (
        lambda t, r, d: t.group_by(t.order // 300).agg(n=t.count()),
        'SELECT CAST(FLOOR("order" / 300) AS BIGINT), COUNT(*) FROM visits GROUP BY 1',
    ),
    (lambda t, r, d: d.pid.nunique(), "SELECT COUNT(DISTINCT pid) FROM drugs"),
]

ALSO: list[Ask] = [
    lambda t, r, d: t.region.topk(1),
    lambda t, r, d: t.region.value_counts(),
    lambda t, r, d: t.cost.sum() / t.count(),
    lambda t, r, d: t.rename(area="region").group_by("area").agg(n=_.count()).order_by("area"),
    lambda t, r, d: t.select("region", "cost").order_by("cost").group_by("region").agg(m=_.cost.max()),
    lambda t, r, d: t.group_by("region").agg(n=t.count(), m=t.cost.mean()).drop("m").select("n"),
    lambda t, r, d: t.group_by("region").agg(n=t.count()).order_by(_.n * 2, "region").mutate(k=_.n + 1),
    lambda t, r, d: t.group_by("region").agg(n=t.count()).order_by("region").limit(2).mutate(k=_.n * 1.5),
    lambda t, r, d: t.agg(m=t.cost.mean()).mutate(r=_.m.round(2)),
    lambda t, r, d: t.agg(a=t.x.clip(0, 0.5).mean(), b=t.age.fill_null(3).sum(), c=(t.age % 2).sum(), d=t.ok.mean()),
    lambda t, r, d: t.filter(t.age.between(3, 80), ~t.ok, t.region.isin(["a"]), t.age.notnull()).count(),
    lambda t, r, d: t.filter((t.age > 3) | (t.age < 1)).drop_null("region").patient_id.nunique(),
    lambda t, r, d: t.group_by(y=t.at.year(), w=t.day.day_of_week.index()).agg(n=t.count()),
    lambda t, r, d: t.group_by(h=t.age.bucket([0, 30, 60])).agg(n=t.count()),
    lambda t, r, d: (
        t.filter(t.age > 3)
        .group_by(["patient_id", "region"])
        .agg(total=_.cost.sum(), n=_.count(where=_.ok), u=_.day.nunique(where=_.age > 5))
        .filter(_.total > 3)
        .group_by("region")
        .agg(m=_.total.mean(), k=_.n.sum(), u=_.u.mean())
    ),
    lambda t, r, d: t.join(r.select("code", label="name"), [("region", "code")]).group_by("label").agg(n=_.count()),
    lambda t, r, d: (
        t.filter(t.age > 3)
        .left_join(r, t.region == r.code)
        .mutate(big=_.size.fill_null(0) > 0)
        .group_by("big")
        .agg(n=_.count())
    ),
    lambda t, r, d: t.join(d, t.patient_id == d.pid).group_by("region").agg(n=_.count(), m=_.dose.mean()),
    lambda t, r, d: t.join(t.view(), "patient_id").agg(n=_.count()),
    lambda t, r, d: t.mutate(k=ibis.literal(1)).group_by("k").agg(n=_.count()),
    lambda t, r, d: t.group_by("region").agg(n=t.count()).n.sum(),
    lambda t, r, d: t.group_by("region").agg(n=t.count()).mutate(s=_.n / _.n.sum()),
]
