-- SPDX-License-Identifier: MIT
-- A history as schema 1 had it: no cycles, no flaky.
PRAGMA application_id = 1650681704;
CREATE TABLE run (id INTEGER PRIMARY KEY, run_id TEXT NOT NULL, device TEXT NOT NULL, time TEXT NOT NULL, unit TEXT NOT NULL, arch TEXT NOT NULL, gpu TEXT NOT NULL, host TEXT NOT NULL, driver TEXT NOT NULL, cuda TEXT NOT NULL, image_hash TEXT NOT NULL, expectations_hash TEXT NOT NULL, bankcheck TEXT NOT NULL, complete TEXT NOT NULL, cases INTEGER NOT NULL, passed INTEGER NOT NULL, findings INTEGER NOT NULL, skipped INTEGER NOT NULL, UNIQUE (run_id, device));
CREATE TABLE fact (run INTEGER NOT NULL REFERENCES run (id), name TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (run, name)) WITHOUT ROWID;
CREATE TABLE case_name (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE message (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE);
CREATE TABLE result (run INTEGER NOT NULL REFERENCES run (id), case_id INTEGER NOT NULL REFERENCES case_name (id), verdict TEXT NOT NULL, wavefronts REAL, conflicts REAL, clock REAL, message INTEGER REFERENCES message (id), PRIMARY KEY (run, case_id)) WITHOUT ROWID;
INSERT INTO run VALUES (1, 'old1', 'cuda:0', '2025-12-01T00:00:00', 'GPU-00-11', 'sm_90', 'NVIDIA H200', 'host', '570.1', '12.8', 'aa', 'bb', '0.0.9', 'yes', 2, 2, 0, 0);
INSERT INTO run VALUES (2, 'old2', 'cuda:0', '2025-12-02T00:00:00', 'GPU-00-11', 'sm_90', 'NVIDIA H200', 'host', '575.2', '12.8', 'aa', 'bb', '0.0.9', 'yes', 2, 1, 1, 0);
INSERT INTO fact VALUES (1, 'driver', '570.1'), (2, 'driver', '575.2'), (1, 'run_id', 'old1'), (2, 'run_id', 'old2');
INSERT INTO case_name VALUES (1, 'stride/ld_b32/0'), (2, 'stride/ld_b32/1');
INSERT INTO message VALUES (1, 'FAIL ratio');
INSERT INTO result VALUES (1, 1, 'PASS', 1, 0, 1, NULL), (1, 2, 'PASS', 2, 1, 2, NULL), (2, 1, 'PASS', 1, 0, 1, NULL), (2, 2, 'FAIL', 3, 2, 3, 1);
PRAGMA user_version = 1;
