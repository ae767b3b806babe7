-- files-outside
FROM read_text('/etc/passwd')
FROM read_csv('/etc/pass*', delim = ':')
FROM read_text('file:///etc/passwd')
FROM sniff_csv('/etc/hosts.csv')
FROM glob('/root/*')

-- files-above-the-workspace
FROM read_text('/workspace/../etc/passwd')
FROM read_text('../etc/passwd')
FROM read_csv('/scratch/../etc/hosts')

-- process-files
FROM read_text('/proc/self/environ')
FROM read_text('/proc/1/environ')
FROM read_blob('/proc/self/maps')
FROM glob('/proc/*')

-- own-descriptors
FROM read_blob('/dev/stdin')
FROM read_blob('/proc/self/fd/0')

-- control-sockets
FROM glob('/run/assay/*')
COPY (SELECT 1) TO '/run/assay/worker.sock'

-- program-of-the-worker
FROM read_blob('/opt/assay/jvm-runner/worker.jar')
COPY (SELECT 1) TO '/opt/assay/jvm-runner/worker.jar'

-- environment
SELECT getenv('PATH')

-- files-written-outside
COPY (SELECT 1) TO '/etc/assay.csv'
COPY (SELECT 1) TO '/workspace/../tmp/assay.csv'
COPY (SELECT 1 AS a, 2 AS b) TO '/dev/shm/assay' (FORMAT csv, PARTITION_BY a)
EXPORT DATABASE '/tmp/assay'

-- kernel-files
COPY (SELECT 1) TO '/proc/self/oom_score_adj'
COPY (SELECT 1) TO '/proc/sys/kernel/core_pattern'

-- source-of-a-dataset
COPY (SELECT 1) TO '/datasets/sales-data/source.csv'
COPY (SELECT 1) TO '/datasets/sales-data/frame.parquet'

-- foreign-databases
ATTACH '/etc/assay.db'
ATTACH '/proc/self/mem' AS memory
IMPORT DATABASE '/etc'

-- network-files
FROM read_csv('https://example.com/data.csv')
FROM read_parquet('s3://bucket/data.parquet')
FROM read_csv('hf://datasets/data.csv')
ATTACH 'https://example.com/data.db' AS stolen

-- network-databases
ATTACH 'host=169.254.169.254' AS stolen (TYPE postgres)
ATTACH 'host=169.254.169.254' AS stolen (TYPE mysql)

-- extensions
INSTALL httpfs
INSTALL httpfs FROM community
FORCE INSTALL httpfs FROM 'http://169.254.169.254/repository'
LOAD httpfs

-- extension-of-the-query
COPY (SELECT '\x7FELF'::BLOB AS program) TO '/scratch/evil.duckdb_extension' (FORMAT blob)
LOAD '/scratch/evil.duckdb_extension'

-- secrets
CREATE SECRET s (TYPE s3, KEY_ID 'a', SECRET 'b')
CREATE PERSISTENT SECRET s (TYPE http)

-- settings
SET enable_external_access = true
SET allowed_directories = ['/']
SET allowed_paths = ['/etc/passwd']
SET lock_configuration = false
RESET lock_configuration

-- limits
SET memory_limit = '1TB'
SET max_temp_directory_size = '1TB'
SET threads = 64

-- files-of-settings
SET temp_directory = '/tmp/assay'
SET log_query_path = '/tmp/assay.log'
PRAGMA profiling_output = '/tmp/assay.json'
CALL enable_logging(storage = 'file', storage_path = '/tmp/assay')

-- indirect-reads
CREATE VIEW v AS FROM read_text('/etc/passwd'); FROM v
CREATE MACRO m() AS TABLE FROM read_text('/etc/passwd'); FROM m()
FROM query('FROM read_text(''/etc/passwd'')')
PREPARE p AS FROM read_text('/etc/passwd'); EXECUTE p
