/* SPDX-License-Identifier: MIT */
/* Opening: is it ours, which schema has it, what brings it up to date. */
#include "harness/history/history.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/history/db.h"
#include "harness/history/profile.h"

#define APPLICATION_ID 1650681704 /* "bchh": PRAGMA application_id, so that other programs' databases are known */

/* migrations[i] makes schema i + 1 of schema i. What has been released is never changed: a new schema is a new row,
 * BC_HISTORY_SCHEMA, a paragraph in docs/history.md, and a test with a file of the schema before it. */
static const char *const migrations[BC_HISTORY_SCHEMA] = {
	"CREATE TABLE run (id INTEGER PRIMARY KEY, run_id TEXT NOT NULL, device TEXT NOT NULL, time TEXT NOT NULL,"
	" unit TEXT NOT NULL, arch TEXT NOT NULL, gpu TEXT NOT NULL, host TEXT NOT NULL, driver TEXT NOT NULL,"
	" cuda TEXT NOT NULL, image_hash TEXT NOT NULL, expectations_hash TEXT NOT NULL, bankcheck TEXT NOT NULL,"
	" complete TEXT NOT NULL, cases INTEGER NOT NULL, passed INTEGER NOT NULL, findings INTEGER NOT NULL,"
	" skipped INTEGER NOT NULL, UNIQUE (run_id, device));"
	"CREATE TABLE fact (run INTEGER NOT NULL REFERENCES run (id), name TEXT NOT NULL, value TEXT NOT NULL,"
	" PRIMARY KEY (run, name)) WITHOUT ROWID;"
	"CREATE TABLE case_name (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);"
	"CREATE TABLE message (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE);"
	"CREATE TABLE result (run INTEGER NOT NULL REFERENCES run (id),"
	" case_id INTEGER NOT NULL REFERENCES case_name (id),"
	" verdict TEXT NOT NULL, wavefronts REAL, conflicts REAL, clock REAL, message INTEGER REFERENCES message (id),"
	" PRIMARY KEY (run, case_id)) WITHOUT ROWID;",

	"ALTER TABLE result ADD COLUMN cycles REAL;"
	"ALTER TABLE result ADD COLUMN flaky INTEGER NOT NULL DEFAULT 0;"
	"CREATE INDEX run_time ON run (time, run_id, device);",

	/* The unit is part of a run's key; results by profile (profile.h), brought over by bc_kept_migrate; what the
	 * runs of a night were gathered from. */
	"ALTER TABLE result RENAME TO result2;"
	"DROP INDEX run_time;"
	"CREATE TABLE run3 (id INTEGER PRIMARY KEY, run_id TEXT NOT NULL, device TEXT NOT NULL, time TEXT NOT NULL,"
	" unit TEXT NOT NULL, arch TEXT NOT NULL, gpu TEXT NOT NULL, host TEXT NOT NULL, driver TEXT NOT NULL,"
	" cuda TEXT NOT NULL, image_hash TEXT NOT NULL, expectations_hash TEXT NOT NULL, bankcheck TEXT NOT NULL,"
	" complete TEXT NOT NULL, cases INTEGER NOT NULL, passed INTEGER NOT NULL, findings INTEGER NOT NULL,"
	" skipped INTEGER NOT NULL, UNIQUE (run_id, device, unit));"
	"INSERT INTO run3 SELECT id, run_id, device, time, unit, arch, gpu, host, driver, cuda, image_hash,"
	" expectations_hash, bankcheck, complete, cases, passed, findings, skipped FROM run;"
	"CREATE TABLE fact3 (run INTEGER NOT NULL REFERENCES run (id), name TEXT NOT NULL, value TEXT NOT NULL,"
	" PRIMARY KEY (run, name)) WITHOUT ROWID;"
	"INSERT INTO fact3 SELECT run, name, value FROM fact;"
	"DROP TABLE fact; DROP TABLE run;"
	"ALTER TABLE run3 RENAME TO run; ALTER TABLE fact3 RENAME TO fact;"
	"CREATE INDEX run_time ON run (time, run_id, device);"
	"CREATE TABLE outcome (id INTEGER PRIMARY KEY, case_id INTEGER NOT NULL REFERENCES case_name (id),"
	" verdict TEXT NOT NULL, wavefronts REAL, conflicts REAL, flaky INTEGER NOT NULL,"
	" message INTEGER REFERENCES message (id));"
	"CREATE INDEX outcome_case ON outcome (case_id, verdict);"
	"CREATE TABLE profile (id INTEGER PRIMARY KEY, kind TEXT NOT NULL, cases INTEGER NOT NULL,"
	" numbers BLOB NOT NULL);"
	"CREATE INDEX profile_kind ON profile (kind);"
	"CREATE TABLE profile_outcome (profile INTEGER NOT NULL REFERENCES profile (id),"
	" case_id INTEGER NOT NULL REFERENCES case_name (id), outcome INTEGER NOT NULL REFERENCES outcome (id),"
	" PRIMARY KEY (profile, case_id)) WITHOUT ROWID;"
	"CREATE TABLE kept (run INTEGER PRIMARY KEY REFERENCES run (id),"
	" profile INTEGER NOT NULL REFERENCES profile (id), numbers BLOB NOT NULL);"
	"CREATE INDEX kept_profile ON kept (profile);"
	"CREATE TABLE exception (run INTEGER NOT NULL REFERENCES run (id),"
	" case_id INTEGER NOT NULL REFERENCES case_name (id), outcome INTEGER REFERENCES outcome (id),"
	" PRIMARY KEY (run, case_id)) WITHOUT ROWID;"
	"CREATE VIEW result AS"
	" SELECT k.run AS run, o.case_id AS case_id, o.verdict AS verdict, o.wavefronts AS wavefronts,"
	" o.conflicts AS conflicts, o.flaky AS flaky, o.message AS message"
	" FROM kept k JOIN profile_outcome p ON p.profile = k.profile JOIN outcome o ON o.id = p.outcome"
	" WHERE NOT EXISTS (SELECT 1 FROM exception e WHERE e.run = k.run AND e.case_id = p.case_id)"
	" UNION ALL SELECT e.run, o.case_id, o.verdict, o.wavefronts, o.conflicts, o.flaky, o.message"
	" FROM exception e JOIN outcome o ON o.id = e.outcome;"
	"CREATE TABLE gathered (night TEXT NOT NULL, node TEXT NOT NULL, job TEXT NOT NULL,"
	" run INTEGER NOT NULL REFERENCES run (id), PRIMARY KEY (night, node, job, run)) WITHOUT ROWID;"
	"CREATE INDEX gathered_run ON gathered (run);"
	"CREATE TABLE gathered_folder (night TEXT NOT NULL, node TEXT NOT NULL, job TEXT NOT NULL,"
	" PRIMARY KEY (night, node, job)) WITHOUT ROWID;",
};

/* A path that SQLite takes for a file whatever it begins with (":memory:", "file:"). */
static char *plain_path(const char *path)
{
	char *s = malloc(strlen(path) + 3);

	if (s)
		(void)sprintf(s, "%s%s", path[0] == '/' ? "" : "./", path);
	return s;
}

/* The same as a URI of a file that nobody changes. */
static char *immutable_uri(const char *path)
{
	static const char end[] = "?immutable=1", hex[] = "0123456789abcdef";
	char *s = malloc(5 + 3 * strlen(path) + sizeof(end)), *to = s;

	if (!s)
		return NULL;
	memcpy(to, "file:", 5);
	to += 5;
	for (const char *p = path; *p; p++) {
		const unsigned char c = (unsigned char)*p;

		if (c == '/' || c == '.' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
		    (c >= 'A' && c <= 'Z')) {
			*to++ = *p;
		} else {
			*to++ = '%';
			*to++ = hex[c >> 4];
			*to++ = hex[c & 15];
		}
	}
	memcpy(to, end, sizeof(end));
	return s;
}

/* The folder of the file, one level. A failure shows when the file is opened. */
static void make_folder(const char *path)
{
	char *dir = strdup(path), *slash = dir ? strrchr(dir, '/') : NULL;

	if (slash && slash != dir) {
		*slash = '\0';
		(void)mkdir(dir, 0777);
	}
	free(dir);
}

static enum bc_status check_path(const char *path, enum bc_history_mode mode, struct bc_error *err)
{
	struct stat s;

	if (stat(path, &s)) {
		if (errno != ENOENT && errno != ENOTDIR)
			return bc_fail(err, BC_EREAD, "%s: %s", path, strerror(errno));
		if (mode == BC_HISTORY_READ)
			return bc_fail(err, BC_EREAD,
				       "%s: no such file; `bankcheck history add REPORT...` makes it, --db FILE "
				       "names another",
				       path);
		make_folder(path);
		return BC_OK;
	}
	if (!S_ISREG(s.st_mode))
		return bc_fail(err, BC_EREAD, "%s: not a regular file; --db FILE names the history", path);
	return BC_OK;
}

/* Open the file and read its header once. */
static enum bc_status open_as(struct bc_history *h, const char *name, int flags, struct bc_error *err)
{
	int64_t version;

	if (sqlite3_open_v2(name, &h->db, flags, NULL) != SQLITE_OK) {
		if (flags & SQLITE_OPEN_CREATE && h->db && sqlite3_errcode(h->db) == SQLITE_CANTOPEN)
			return bc_fail(err, BC_EWRITE,
				       "%s: cannot be made or opened: is its folder there, and can it be "
				       "written?",
				       h->path);
		return bc_db_fail(h, "open", err);
	}
	if (sqlite3_busy_timeout(h->db, BC_HISTORY_WAIT_MS) != SQLITE_OK)
		return bc_db_fail(h, "open", err);
	return bc_db_number(h, "PRAGMA schema_version", &version, err);
}

/* Is there a log with changes beside it? */
static bool has_log(const char *path)
{
	char *log = malloc(strlen(path) + 5);
	struct stat s;
	bool is = true;

	if (log) {
		(void)sprintf(log, "%s-wal", path);
		is = stat(log, &s) == 0 && s.st_size > 0;
	}
	free(log);
	return is;
}

static enum bc_status open_file(struct bc_history *h, enum bc_history_mode mode, struct bc_error *err)
{
	char *name = plain_path(h->path), *uri = NULL;
	enum bc_status st;

	if (!name)
		return bc_fail(err, BC_ENOMEM, "%s: out of memory", h->path);
	st = open_as(h, name, SQLITE_OPEN_READWRITE | (mode == BC_HISTORY_WRITE ? SQLITE_OPEN_CREATE : 0), err);
	/* Reading takes a lock file beside it; where none can be made, nobody writes either. */
	if ((st == BC_EREAD || st == BC_EWRITE) && mode == BC_HISTORY_READ && access(h->path, R_OK) == 0 &&
	    !has_log(h->path)) {
		(void)sqlite3_close(h->db);
		h->db = NULL;
		uri = immutable_uri(name);
		st = uri ? open_as(h, uri, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, err)
			 : bc_fail(err, BC_ENOMEM, "%s: out of memory", h->path);
	}
	if (!st)
		h->readonly = sqlite3_db_readonly(h->db, "main") == 1;
	free(uri);
	free(name);
	return st;
}

/* @version: 0 for an empty file. The three are read at one moment: another process may be making the file. */
static enum bc_status identify(struct bc_history *h, int64_t *version, struct bc_error *err)
{
	int64_t application = 0, tables = 0;
	enum bc_status st = bc_db_exec(h, "SAVEPOINT look", "open", err), ended;

	if (st)
		return st;
	st = bc_db_number(h, "PRAGMA user_version", version, err);
	if (!st)
		st = bc_db_number(h, "PRAGMA application_id", &application, err);
	if (!st)
		st = bc_db_number(h, "SELECT count(*) FROM sqlite_schema", &tables, err);
	ended = bc_db_exec(h, "RELEASE look", "open", st ? NULL : err);
	if (st || ended)
		return st ? st : ended;
	if (application != APPLICATION_ID && (application || *version || tables))
		return bc_fail(err, BC_EDATA,
			       "%s: is no history: a database of another program; name another with --db", h->path);
	if (*version < 0 || *version > BC_HISTORY_SCHEMA)
		return bc_fail(err, BC_EDATA,
			       "%s: has schema %lld, this bankcheck (%s) knows up to %d: use the later version "
			       "that made it, or name another with --db",
			       h->path, (long long)*version, BC_VERSION, BC_HISTORY_SCHEMA);
	return BC_OK;
}

static enum bc_status migrate(struct bc_history *h, struct bc_error *err)
{
	char sql[96];
	int64_t version = 0, was = 0;
	enum bc_status st = bc_db_begin(h, err);

	if (st)
		return st;
	st = identify(h, &version, err); /* another process may have been first */
	was = version;
	for (; !st && version < BC_HISTORY_SCHEMA; version++)
		st = bc_db_exec(h, migrations[version], "migrate", err);
	if (!st && was < BC_HISTORY_SCHEMA)
		st = bc_kept_migrate(h, err);
	(void)snprintf(sql, sizeof(sql), "PRAGMA application_id = %d; PRAGMA user_version = %d;", APPLICATION_ID,
		       BC_HISTORY_SCHEMA);
	if (!st)
		st = bc_db_exec(h, sql, "migrate", err);
	return bc_db_end(h, st, err);
}

/* The busy handler is not asked for all of this: two processes may make the file at once. */
static enum bc_status use_wal(struct bc_history *h, struct bc_error *err)
{
	int rc = SQLITE_BUSY;

	for (unsigned ms = 0; rc == SQLITE_BUSY && ms < BC_HISTORY_WAIT_MS; ms += 10) {
		rc = sqlite3_exec(h->db, "PRAGMA journal_mode = WAL", NULL, NULL, NULL);
		if (rc == SQLITE_BUSY)
			(void)sqlite3_sleep(10);
	}
	return rc == SQLITE_OK ? BC_OK : bc_db_fail(h, "open", err);
}

static enum bc_status prepare_schema(struct bc_history *h, enum bc_history_mode mode, struct bc_error *err)
{
	int64_t version = 0;
	enum bc_status st = identify(h, &version, err);

	if (st)
		return st;
	if (h->readonly && mode == BC_HISTORY_WRITE)
		return bc_fail(err, BC_EWRITE, "%s: cannot be written", h->path);
	if (h->readonly && version < BC_HISTORY_SCHEMA)
		return bc_fail(err, BC_EWRITE, "%s: has schema %lld and must be brought to %d, but cannot be written",
			       h->path, (long long)version, BC_HISTORY_SCHEMA);
	if (!h->readonly)
		st = use_wal(h, err);
	if (!st && version < BC_HISTORY_SCHEMA)
		st = migrate(h, err);
	return st;
}

enum bc_status bc_history_open(const char *path, enum bc_history_mode mode, struct bc_history **out,
			       struct bc_error *err)
{
	struct bc_history *h;
	enum bc_status st = check_path(path, mode, err);

	if (st)
		return st;
	h = calloc(1, sizeof(*h));
	if (!h)
		return bc_fail(err, BC_ENOMEM, "%s: out of memory", path);
	h->path = strdup(path);
	st = h->path ? open_file(h, mode, err) : bc_fail(err, BC_ENOMEM, "%s: out of memory", path);
	if (!st)
		st = prepare_schema(h, mode, err);
	/* With a log, NORMAL keeps the file whole through a power cut too (the last reports may have to be added
	 * again). Mapping the file spares copies of pages that are only read. */
	if (!st)
		st = bc_db_exec(
			h, "PRAGMA synchronous = NORMAL; PRAGMA mmap_size = 1073741824; PRAGMA cache_size = -32768;",
			"open", err);
	if (!st) {
		*out = h;
		h = NULL; /* the caller owns it now */
	}
	bc_history_close(h);
	return st;
}

void bc_history_close(struct bc_history *h)
{
	if (!h)
		return;
	bc_kept_cache_free(h->cache);
	(void)sqlite3_close(h->db); /* all statements are finalized; NULL is allowed */
	free(h->path);
	free(h);
}
