-- c01: answered
SELECT COUNT(*) FROM visits;

-- c02: answered
SELECT COUNT(DISTINCT patient_id) FROM visits;

-- c03: answered
SELECT region, COUNT(*) AS visits, COUNT(DISTINCT patient_id) AS patients FROM visits GROUP BY region;

-- c04: answered
SELECT ward, AVG(cost) FROM visits GROUP BY ward ORDER BY 2 DESC;

-- c05: answered
SELECT EXTRACT(MONTH FROM day) AS month, COUNT(*) FROM visits GROUP BY month ORDER BY month;

-- c06: answered
SELECT monthname(day) AS month, SUM(cost) AS cost FROM visits GROUP BY month;

-- c07: answered
SELECT strftime(day, '%Y-W%W') AS week, COUNT(*) FROM visits GROUP BY week ORDER BY week;

-- c08: answered
SELECT dayname(day), COUNT(*) FROM visits WHERE ward = 'surgery' GROUP BY dayname(day);

-- c09: private: each group is a patient: without her it is missing
SELECT patient_id, SUM(cost) FROM visits GROUP BY patient_id;

-- c10: answered
SELECT AVG(total) FROM (SELECT patient_id, SUM(cost) AS total FROM visits GROUP BY patient_id) p;

-- c11: answered
SELECT n_visits, COUNT(*) AS patients FROM (SELECT patient_id, COUNT(*) AS n_visits FROM visits GROUP BY patient_id) GROUP BY n_visits ORDER BY n_visits;

-- c12: answered
SELECT MEDIAN(n) FROM (SELECT patient_id, COUNT(*) AS n FROM visits GROUP BY patient_id);

-- c13: answered
SELECT region, MEDIAN(cost), quantile_cont(cost, 0.95) FROM visits GROUP BY region;

-- c14: answered
SELECT AVG(stay_days) FROM visits WHERE age >= 65 AND ward IN ('surgery', 'cardiology');

-- c15: private: all visits counted are those of one named patient: with and without her, 0 or not
SELECT COUNT(*) FROM visits WHERE patient_id = 17;

-- c16: private: the wards of one named patient decide which groups there are: without her there are none
SELECT ward, COUNT(*) FROM visits WHERE ward IN (SELECT ward FROM visits WHERE patient_id = 7) GROUP BY ward;

-- c17: answered
SELECT COUNT(DISTINCT patient_id) FROM visits WHERE patient_id IN (SELECT patient_id FROM visits WHERE ward = 'oncology') AND ward = 'surgery';

-- c18: answered
SELECT COUNT(*) FROM visits a JOIN visits b ON a.patient_id = b.patient_id AND b.day > a.day AND b.day <= a.day + INTERVAL 30 DAY;

-- c19: answered
SELECT AVG(gap) FROM (SELECT day - LAG(day) OVER (PARTITION BY patient_id ORDER BY day) AS gap FROM visits);

-- c20: answered
SELECT COUNT(*) FROM (SELECT patient_id, day, COUNT(*) AS n FROM visits GROUP BY patient_id, day) WHERE n > 1;

-- c21: open: `tacit tables` answers it: several tables are one release of another kind
SELECT region, ward, COUNT(*) FROM visits GROUP BY GROUPING SETS ((region, ward), (region), ());

-- c22: answered
SELECT CORR(age, cost) FROM visits;

-- c23: answered
SELECT CASE WHEN age < 18 THEN 'child' WHEN age < 65 THEN 'adult' ELSE 'senior' END AS grp, COUNT(*), AVG(cost), AVG(stay_days) FROM visits GROUP BY grp;

-- c24: open: a function of one row that is not built
SELECT UPPER(region), INITCAP(ward), COUNT(*) FROM visits GROUP BY 1, 2;

-- c25: answered
SELECT COUNT(*) FROM visits WHERE ward ILIKE 'card%';

-- c26: answered
SELECT COUNT(*) FROM visits WHERE ward ~ '^(card|neuro)';

-- c27: open: regular expressions
SELECT regexp_replace(ward, '[^a-z]', '', 'g') AS w, COUNT(*) FROM visits GROUP BY w;

-- c28: answered
SELECT TRIM(BOTH ' ' FROM ward) AS ward, COUNT(*) FROM visits GROUP BY 1;

-- c29: answered
SELECT LPAD(CAST(EXTRACT(MONTH FROM day) AS VARCHAR), 2, '0') AS mm, COUNT(*) FROM visits GROUP BY mm ORDER BY mm;

-- c30: answered
SELECT POSITION('card' IN ward) > 0 AS cardio, COUNT(*) FROM visits GROUP BY cardio;

-- c31: private: a number for each visit: without a patient hers are missing
SELECT cost / NULLIF(stay_days, 0) AS per_day FROM visits;

-- c32: answered
SELECT AVG(cost / NULLIF(stay_days, 0)) AS per_day FROM visits;

-- c33: answered
SELECT SUM(cost) / NULLIF(SUM(stay_days), 0) AS per_day, region FROM visits GROUP BY region;

-- c34: answered
SELECT region, SUM(cost) * 1.0 / SUM(SUM(cost)) OVER () AS share FROM visits GROUP BY region;

-- c35: open: today's date
SELECT region, COUNT(*) FROM visits WHERE day >= CURRENT_DATE - INTERVAL 30 DAY GROUP BY region;

-- c36: answered
SELECT COUNT(*) FROM visits WHERE day BETWEEN '2025-03-01' AND '2025-03-31';

-- c37: answered
SELECT COUNT(*) FROM visits WHERE day >= strptime('01/06/2025', '%d/%m/%Y');

-- c38: answered
SELECT date_part('isoyear', day) AS y, date_part('week', day) AS w, SUM(stay_days) FROM visits GROUP BY y, w;

-- c39: answered
SELECT to_char(day, 'YYYY-MM') AS m, COUNT(*) FROM visits GROUP BY m;

-- c40: answered
WITH r AS (SELECT region, AVG(cost) AS c FROM visits GROUP BY region)
SELECT region, c - (SELECT AVG(c) FROM r) AS above_mean FROM r;

-- c41: answered
WITH old AS (SELECT COUNT(*) AS n FROM visits WHERE age >= 65), everyone AS (SELECT COUNT(*) AS n FROM visits)
SELECT old.n * 100.0 / everyone.n AS pct FROM old CROSS JOIN everyone;

-- c42: answered
SELECT COUNT(DISTINCT patient_id) FROM visits WHERE day < '2025-07-01'
EXCEPT SELECT COUNT(DISTINCT patient_id) FROM visits WHERE day >= '2025-07-01';

-- c43: open: several private answers in one statement
SELECT COUNT(*) FROM (SELECT patient_id FROM visits WHERE day < '2025-07-01' INTERSECT SELECT patient_id FROM visits WHERE day >= '2025-07-01') b;

-- c44: private: the list has the region of each visit: without a patient hers are missing
SELECT ward, STRING_AGG(region, ',') FROM visits GROUP BY ward;

-- c45: answered
SELECT MIN(day), MAX(day) FROM visits;

-- c46: private: one visit that cost nothing makes it false, and without its patient it is true
SELECT region, BOOL_AND(cost > 0) FROM visits GROUP BY region;

-- c47: open: tuples of columns
SELECT COUNT(*) FROM visits WHERE (age, stay_days) = (40, 3);

-- c48: open: sub-queries over released groups, or by what a person owns
SELECT DATE_TRUNC('month', day) AS __timestamp, region AS region, SUM(cost) AS "SUM(cost)"
FROM main.visits JOIN (
  SELECT region AS region__, COUNT(*) AS mme_inner__ FROM main.visits GROUP BY region ORDER BY mme_inner__ DESC LIMIT 5
) AS series_limit ON region = region__
GROUP BY DATE_TRUNC('month', day), region ORDER BY "SUM(cost)" DESC LIMIT 10000;

-- c49: answered
SELECT ward AS ward, COUNT(DISTINCT patient_id) AS "COUNT_DISTINCT(patient_id)"
FROM main.visits WHERE (age > 17) AND day >= TO_DATE('2025-01-01', 'YYYY-MM-DD')
GROUP BY ward ORDER BY "COUNT_DISTINCT(patient_id)" DESC LIMIT 100;

-- c50: answered
SELECT CAST("main"."visits"."day" AS DATE) AS "day", COUNT(*) AS "count" FROM "main"."visits"
GROUP BY CAST("main"."visits"."day" AS DATE) ORDER BY CAST("main"."visits"."day" AS DATE) ASC;

-- c51: answered
SELECT ((FLOOR(("main"."visits"."cost" / 500.0)) * 500.0)) AS "cost", COUNT(*) AS "count" FROM "main"."visits"
GROUP BY ((FLOOR(("main"."visits"."cost" / 500.0)) * 500.0)) ORDER BY 1;

-- c52: answered
SELECT "visits"."ward" AS "ward", DATEPART('month', "visits"."day") AS "mn:day:ok", AVG("visits"."cost") AS "avg:cost:ok"
FROM "visits" WHERE "visits"."region" = 'north' GROUP BY 1, 2;

-- c53: answered
SELECT "t1"."region", "t1"."n", "t1"."n" / SUM("t1"."n") OVER (ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS "share"
FROM (SELECT "t0"."region", COUNT(*) AS "n" FROM "visits" AS "t0" GROUP BY 1) AS "t1";

-- c54: answered
SELECT *, RANK() OVER (ORDER BY cost_sum DESC) AS rank FROM (SELECT ward, SUM(cost) AS cost_sum FROM visits GROUP BY ward) w;

-- c55: answered
SELECT region, AVG(patient_cost) FROM (SELECT patient_id, region, SUM(cost) AS patient_cost FROM visits GROUP BY patient_id, region) GROUP BY region;

-- c56: answered
SELECT first_ward, COUNT(*) FROM (SELECT patient_id, FIRST_VALUE(ward) OVER (PARTITION BY patient_id ORDER BY day) AS first_ward, ROW_NUMBER() OVER (PARTITION BY patient_id ORDER BY day) AS rn FROM visits) t WHERE rn = 1 GROUP BY first_ward;

-- c57: answered
SELECT COUNT(*) FROM visits WHERE age % 2 = 0 AND cost > 1e3;

-- c58: private: a number for each visit, and sums without noise: without a patient they are others
SELECT SUM(cost) OVER (PARTITION BY region) FROM visits;

-- c59: answered
SELECT region, COUNT(*) FILTER (WHERE stay_days = 0)::DOUBLE / COUNT(*) AS outpatient FROM visits GROUP BY ALL;

-- c60: answered
SELECT COUNT(*) AS n FROM visits WHERE cost > 15000 HAVING COUNT(*) > 20;
