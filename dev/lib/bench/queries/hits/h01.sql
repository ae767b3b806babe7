SELECT count(*) AS views FROM hits WHERE adv_engine_id <> 0
