SELECT sum(adv_engine_id) AS engines, count(*) AS views, avg(resolution_width) AS width FROM hits
