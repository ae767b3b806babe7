SELECT count(DISTINCT search_phrase) AS phrases FROM hits
