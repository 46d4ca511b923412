-- s01: answered
SELECT AVG(affairs), COUNT(*) FROM fair;

-- s02: answered
SELECT rate_marriage, COUNT(*) AS n, AVG(affairs) AS affairs FROM fair GROUP BY rate_marriage ORDER BY rate_marriage;

-- s03: answered
SELECT religious, AVG(CASE WHEN affairs > 0 THEN 1 ELSE 0 END) AS any_affair FROM fair GROUP BY religious;

-- s04: answered
SELECT COUNT(*) FROM fair WHERE affairs > 0 AND rate_marriage >= 4;

-- s05: answered
SELECT CASE occupation WHEN 1 THEN 'student' WHEN 2 THEN 'farming' WHEN 3 THEN 'white-collar' WHEN 4 THEN 'teacher' WHEN 5 THEN 'managerial' WHEN 6 THEN 'professional' END AS job,
       COUNT(*), AVG(educ) FROM fair GROUP BY 1;

-- s06: answered
SELECT CORR(yrs_married, children), CORR(age, affairs) FROM fair;

-- s07: answered
SELECT MEDIAN(yrs_married) FROM fair WHERE children = 0;

-- s08: answered
SELECT age, educ, COUNT(*) FROM fair GROUP BY age, educ;

-- s09: answered
SELECT MIN(affairs), MAX(affairs) FROM fair;

-- s10: answered
SELECT CASE WHEN educ >= 16 THEN 'college' ELSE 'no college' END AS college, STDDEV(affairs), VARIANCE(affairs) FROM fair GROUP BY college;

-- s11: answered
SELECT occupation, occupation_husb, COUNT(*) AS couples FROM fair WHERE occupation = occupation_husb GROUP BY occupation, occupation_husb;

-- s12: answered
SELECT AVG(ABS(occupation - occupation_husb)) FROM fair;

-- s13: answered
SELECT ROUND(yrs_married) AS y, AVG(children) AS kids FROM fair GROUP BY y ORDER BY y;

-- s14: answered
SELECT 100.0 * COUNT(*) FILTER (WHERE affairs > 0) / COUNT(*) AS pct FROM fair;

-- s15: answered
SELECT CASE WHEN affairs = 0 THEN 0 WHEN affairs <= 1 THEN 1 WHEN affairs <= 5 THEN 2 ELSE 3 END AS level, COUNT(*) FROM fair GROUP BY level ORDER BY level;

-- s16: answered
SELECT children > 0 AS parent, AVG(rate_marriage) AS happy FROM fair GROUP BY parent;

-- s17: answered
SELECT COUNT(*) FROM fair WHERE age < 25 AND (educ > 14 OR children >= 2);

-- s18: answered
SELECT AVG(age) AS mean_age, SQRT(VAR_SAMP(age)) AS sd, SQRT(VAR_SAMP(age) / COUNT(age)) AS se FROM fair;

-- s19: answered
SELECT SUM(affairs * children) / SUM(children) FROM fair;

-- s20: answered
SELECT rate_marriage, religious, AVG(affairs) AS a FROM fair GROUP BY rate_marriage, religious HAVING AVG(affairs) > 0.5;

-- s21: answered
SELECT quantile_disc(affairs, 0.95) FROM fair;

-- s22: private: the rows of five women: without one of them another stands in her place
SELECT * FROM fair ORDER BY affairs DESC LIMIT 5;

-- s23: answered
SELECT EXP(AVG(LN(educ))) AS geometric_mean FROM fair;

-- s24: answered
SELECT COUNT(DISTINCT age), COUNT(DISTINCT educ) FROM fair;

-- s25: answered
SELECT (SELECT AVG(affairs) FROM fair WHERE children > 0) - (SELECT AVG(affairs) FROM fair WHERE children = 0) AS difference;

-- s26: open: groups of floating-point numbers, which engines compute with other last digits
SELECT POWER(yrs_married, 2) AS y2, COUNT(*) FROM fair GROUP BY y2;

-- s27: open: GROUP BY a floating-point number
SELECT CBRT(affairs) AS c, COUNT(*) FROM fair GROUP BY c;

-- s28: answered
SELECT REGR_SLOPE(affairs, yrs_married) AS slope, REGR_COUNT(affairs, yrs_married) AS n FROM fair WHERE religious = 1;

-- s29: answered
SELECT NULLIF(children, 0) AS k, COUNT(*) FROM fair GROUP BY k;

-- s30: answered
SELECT AVG(affairs / NULLIF(yrs_married, 0)) FROM fair;

-- s31: answered
SELECT AVG(mdvis) FROM randhie;

-- s32: answered
SELECT lncoins = 0 AS free_care, AVG(mdvis) AS visits, COUNT(*) AS n FROM randhie GROUP BY free_care;

-- s33: answered
SELECT mdvis, COUNT(*) FROM randhie GROUP BY mdvis ORDER BY mdvis;

-- s34: answered
SELECT CASE WHEN hlthp = 1 THEN 'poor' WHEN hlthf = 1 THEN 'fair' WHEN hlthg = 1 THEN 'good' ELSE 'excellent' END AS health, AVG(mdvis), COUNT(*) FROM randhie GROUP BY health;

-- s35: answered
SELECT ROUND(disea / 10.0) * 10 AS disease, AVG(mdvis) AS visits FROM randhie GROUP BY 1 ORDER BY 1;

-- s36: answered
SELECT CORR(lncoins, mdvis) FROM randhie;

-- s37: answered
SELECT SUM(mdvis) FROM randhie WHERE physlm > 0.5;

-- s38: open: groups of floating-point numbers, which engines compute with other last digits
SELECT EXP(lncoins) - 1 AS coinsurance, AVG(mdvis) FROM randhie GROUP BY coinsurance;

-- s39: answered
SELECT idp, AVG(mdvis), STDDEV(mdvis), COUNT(*) FROM randhie GROUP BY idp;

-- s40: answered
SELECT VAR_SAMP(mdvis) / AVG(mdvis) AS overdispersion FROM randhie;

-- s41: answered
SELECT COUNT(*) FILTER (WHERE mdvis = 0) * 1.0 / COUNT(*) AS share_without_visit FROM randhie;

-- s42: open: several private answers in one statement
SELECT AVG(mdvis) FROM randhie WHERE mdvis <= (SELECT quantile_cont(mdvis, 0.99) FROM randhie);

-- s43: answered
SELECT 'poor' AS health, AVG(mdvis) AS m FROM randhie WHERE hlthp = 1 UNION ALL SELECT 'fair', AVG(mdvis) FROM randhie WHERE hlthf = 1 UNION ALL SELECT 'good', AVG(mdvis) FROM randhie WHERE hlthg = 1;

-- s44: answered
SELECT rate_marriage AS rate_marriage, COUNT(*) AS count FROM main.fair WHERE children >= 1.0 AND children < 4.0 GROUP BY rate_marriage ORDER BY count DESC LIMIT 100;

-- s45: answered
SELECT "main"."fair"."religious" AS "religious", SUM(CASE WHEN "main"."fair"."affairs" > 0 THEN 1 ELSE 0.0 END) / COUNT(*) AS "Share having affairs"
FROM "main"."fair" GROUP BY "main"."fair"."religious" ORDER BY "main"."fair"."religious" ASC;

-- s46: answered
SELECT ((FLOOR((("main"."fair"."age" - 15.0) / 5.0)) * 5.0) + 15.0) AS "age", COUNT(*) AS "count"
FROM "main"."fair" GROUP BY ((FLOOR((("main"."fair"."age" - 15.0) / 5.0)) * 5.0) + 15.0)
ORDER BY ((FLOOR((("main"."fair"."age" - 15.0) / 5.0)) * 5.0) + 15.0) ASC;

-- s47: answered
SELECT "Custom SQL Query"."occupation" AS "occupation", AVG("Custom SQL Query"."affairs") AS "avg:affairs:ok"
FROM (SELECT occupation, affairs FROM fair WHERE age > 20) "Custom SQL Query" GROUP BY 1;

-- s48: answered
SELECT "t1"."happy", COUNT(*) AS "n", AVG("t1"."affairs") AS "m"
FROM (SELECT *, "t0"."rate_marriage" >= CAST(4 AS TINYINT) AS "happy" FROM "fair" AS "t0") AS "t1" GROUP BY 1;

-- s49: answered
SELECT "t0"."educ" AS "educ", COUNT(*) AS "count" FROM "fair" AS "t0" GROUP BY "t0"."educ" ORDER BY "count" DESC NULLS LAST;

-- s50: answered
SELECT CASE WHEN (yrs_married <= 2.5) THEN '0-2.5' WHEN (yrs_married <= 9) THEN '3-9' ELSE '10+' END AS tenure, PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY age) AS med FROM fair GROUP BY tenure;

-- s51: open: groups of floating-point numbers, which engines compute with other last digits
SELECT GREATEST(children, 1) AS k, LEAST(affairs, 10) AS a, COUNT(*) FROM fair GROUP BY k, a;

-- s52: answered
SELECT COUNT(*) FROM fair WHERE educ BETWEEN SYMMETRIC 16 AND 12;

-- s53: answered
SELECT age, AVG(affairs) AS m, AVG(AVG(affairs)) OVER (ORDER BY age ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS smooth FROM fair GROUP BY age ORDER BY age;

-- s54: answered
WITH t AS (SELECT religious, COUNT(*) AS n, SUM(affairs) AS a FROM fair GROUP BY religious) SELECT religious, a / n AS per_head, a / SUM(a) OVER () AS share FROM t;

-- s55: answered
SELECT MOD(CAST(age AS INT), 2) AS odd, COUNT(*) FROM fair GROUP BY odd;

-- s56: open: an aggregate that is not built, or a list of groups alone
SELECT MAD(mdvis) FROM randhie;

-- s57: answered
SELECT COUNT(*) FROM randhie WHERE isnan(lpi) OR lpi IS NULL;

-- s58: private: it is the row of one person: without her it is another's
SELECT ARG_MAX(educ, affairs) FROM fair;

-- s59: open: another statement or clause than SELECT with LIMIT
SELECT COUNT(*), COUNT(*) FILTER (affairs > 0) FROM fair TABLESAMPLE 10%;

-- s60: open: another statement or clause than SELECT with LIMIT
SUMMARIZE fair;
