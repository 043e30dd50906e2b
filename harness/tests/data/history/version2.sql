-- SPDX-License-Identifier: MIT
-- A history as schema 2 had it: a row a result; the unit was not part of a run's key.
PRAGMA application_id = 1650681704;
CREATE TABLE run (id INTEGER PRIMARY KEY, run_id TEXT NOT NULL, device TEXT NOT NULL, time TEXT NOT NULL, unit TEXT NOT NULL, arch TEXT NOT NULL, gpu TEXT NOT NULL, host TEXT NOT NULL, driver TEXT NOT NULL, cuda TEXT NOT NULL, image_hash TEXT NOT NULL, expectations_hash TEXT NOT NULL, bankcheck TEXT NOT NULL, complete TEXT NOT NULL, cases INTEGER NOT NULL, passed INTEGER NOT NULL, findings INTEGER NOT NULL, skipped INTEGER NOT NULL, UNIQUE (run_id, device));
CREATE TABLE fact (run INTEGER NOT NULL REFERENCES run (id), name TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (run, name)) WITHOUT ROWID;
CREATE TABLE case_name (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE message (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE);
CREATE TABLE result (run INTEGER NOT NULL REFERENCES run (id), case_id INTEGER NOT NULL REFERENCES case_name (id), verdict TEXT NOT NULL, wavefronts REAL, conflicts REAL, clock REAL, message INTEGER REFERENCES message (id), cycles REAL, flaky INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (run, case_id)) WITHOUT ROWID;
CREATE INDEX run_time ON run (time, run_id, device);
INSERT INTO run VALUES (1, 'a1', 'cuda:0', '2026-01-01T00:00:00', 'GPU-1', 'sm_90', 'NVIDIA H200', 'h1', '580.1', '13.0', 'aa', 'bb', '0.1.0', 'yes', 3, 2, 0, 1);
INSERT INTO run VALUES (2, 'a2', 'cuda:0', '2026-01-01T00:00:00', 'GPU-2', 'sm_90', 'NVIDIA H200', 'h2', '580.1', '13.0', 'aa', 'bb', '0.1.0', 'yes', 2, 1, 1, 0);
INSERT INTO run VALUES (3, 'a3', 'cuda:0', '2026-01-03T00:00:00', 'GPU-1', 'sm_90', 'NVIDIA H200', 'h1', '580.1', '13.0', 'aa', 'bb', '0.1.0', 'filtered', 2, 1, 1, 0);
INSERT INTO fact VALUES (1, 'options', '--pack 1'), (1, 'run_id', 'a1'), (2, 'run_id', 'a2'), (3, 'run_id', 'a3');
INSERT INTO case_name VALUES (1, 's/r/b'), (2, 's/r/a'), (3, 's/r/c'), (7, 's/r/d');
INSERT INTO message VALUES (1, 'FAIL ratio'), (2, 'needs, "it"'), (3, 'the worker ended');
INSERT INTO result VALUES (1, 1, 'PASS', 2, 1, NULL, NULL, 104, 1), (1, 2, 'PASS', 1, 0, 1.000001, NULL, 100.5, 0), (1, 3, 'SKIP', NULL, NULL, NULL, 2, NULL, 0);
INSERT INTO result VALUES (2, 1, 'PASS', 2, 1, 2.000003, NULL, 99.5, 0), (2, 2, 'FAIL', 2, 1, 1.25, 1, 101, 0);
INSERT INTO result VALUES (3, 1, 'PASS', 2, 1, 2.1, NULL, 104, 0), (3, 7, 'LOST', NULL, NULL, NULL, 3, NULL, 0);
PRAGMA user_version = 2;
