/* SPDX-License-Identifier: MIT */
/* What a step wrote: facts of the device, and reasons and remarks. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/file.h"
#include "harness/qualify/qualify.h"
#include "harness/report/json.h"
#include "harness/report/reader.h"

#define FILE_MAX (64u << 20)
#define NAMED_MAX 5 /* findings of a step that are reasons of their own */

static json_t *load(const char *dir, const char *name)
{
	char path[BC_PATH_MAX + 32];

	(void)snprintf(path, sizeof(path), "%s/%s", dir, name);
	return json_load_file(path, 0, NULL);
}

static const char *text_of(const json_t *j, const char *key)
{
	const char *s = json_string_value(json_object_get(j, key));

	return s ? s : "";
}

static long long number_of(const json_t *j, const char *key)
{
	return (long long)json_integer_value(json_object_get(j, key));
}

/* The last line of what a step said, for a step that has nothing else to show. */
static void last_words(const char *dir, char *out, size_t size)
{
	static const char *const names[] = { "errors.txt", "output.txt" };

	(void)bc_strlcpy(out, "it says nothing", size);
	for (size_t i = 0; i < BC_ARRAY_LEN(names); i++) {
		struct bc_text text = { 0 };
		struct bc_error ignored;
		char path[BC_PATH_MAX + 32], *save = NULL;
		bool found = false;

		(void)snprintf(path, sizeof(path), "%s/%s", dir, names[i]);
		if (!bc_file_read(path, FILE_MAX, &text, &ignored) && text.data)
			for (char *l = strtok_r(text.data, "\n", &save); l; l = strtok_r(NULL, "\n", &save)) {
				if (!l[strspn(l, " \t")])
					continue;
				(void)bc_strlcpy(out, strncmp(l, "bankcheck: ", 11) == 0 ? l + 11 : l, size);
				found = true;
			}
		bc_text_release(&text);
		if (found)
			return;
	}
}

/* ---- runs ---- */

static void read_facts(struct bc_qualify_device *d, const struct bc_read_device *r)
{
	const struct {
		const char *property;
		char *to;
		size_t size;
	} facts[] = { { "gpu", d->gpu, sizeof(d->gpu) },
		      { "arch", d->arch, sizeof(d->arch) },
		      { "uuid", d->uuid, sizeof(d->uuid) },
		      { "driver", d->driver, sizeof(d->driver) },
		      { "cuda", d->cuda, sizeof(d->cuda) },
		      { "toolkit", d->toolkit, sizeof(d->toolkit) },
		      { "standing", d->standing, sizeof(d->standing) },
		      { "sms", d->sms, sizeof(d->sms) } };

	for (size_t i = 0; i < BC_ARRAY_LEN(facts); i++) {
		const char *v = bc_read_property(r, facts[i].property);

		if (v[0] && strcmp(v, "none") != 0)
			(void)bc_strlcpy(facts[i].to, v, facts[i].size);
	}
}

/* What the reports say of the device beside its cases, once. */
static void judge_facts(const struct bc_qualify_options *o, struct bc_qualify_device *d, const struct bc_read_device *r)
{
	const char *absent = bc_read_property(r, "counters_absent"), *hardware = bc_read_property(r, "hardware");

	if (strncmp(hardware, "no", 2) == 0)
		bc_qualify_add(d, false, 0, "this is the reference device, not hardware: a trial of the procedure");
	if (o->run->witness == BC_WITNESS_CLOCK)
		bc_qualify_add(d, false, 0, "judged by data and clock: counters were not asked for (--witness clock)");
	else if (absent[0] && strcmp(absent, "none") != 0)
		bc_qualify_add(d, true, 4,
			       "not judged: counters cannot be read: %.250s (--witness clock judges without)", absent);
	if (strncmp(d->standing, "confirmed", 9) != 0)
		bc_qualify_add(d, false, 0, "expectations of %s: %.200s", d->arch, d->standing);
	if (o->run->filter.n || o->run->exclude.n)
		bc_qualify_add(d, false, 0, "only a part of the catalogue was run (--filter, --exclude)");
}

/* A finding: the first ones are reasons of their own, then they are counted. */
static void add_finding(struct bc_qualify_device *d, const struct bc_read_case *c, size_t *n)
{
	const bool broken = c->verdict == BC_BROKEN || c->verdict == BC_LOST;

	if (++*n <= NAMED_MAX)
		bc_qualify_add(d, true, broken ? 2 : 1, "%s is %s: %.250s", c->id, bc_verdict_name(c->verdict),
			       c->message);
}

/* Return: the worst status of a finding: 1, 2; 0: none. */
static int read_cases(struct bc_qualify_device *d, const struct bc_read_device *r, size_t n[BC_NVERDICTS])
{
	size_t findings = 0;
	int worst = 0;

	for (size_t i = 0; i < r->ncases; i++) {
		const struct bc_read_case *c = &r->cases[i];
		const bool broken = c->verdict == BC_BROKEN || c->verdict == BC_LOST;

		n[c->verdict]++;
		if (!bc_verdict_is_finding(c->verdict))
			continue;
		add_finding(d, c, &findings);
		worst = broken || worst == 2 ? 2 : 1;
	}
	if (findings > NAMED_MAX)
		bc_qualify_add(d, true, worst, "%zu more findings: see the report", findings - NAMED_MAX);
	if (n[BC_XFAIL])
		bc_qualify_add(d, false, 0, "%zu known failures (XFAIL)", n[BC_XFAIL]);
	return worst;
}

static void write_sums(const size_t n[BC_NVERDICTS], char *out, size_t size)
{
	size_t cases = 0, len;

	for (unsigned v = 0; v < BC_NVERDICTS; v++)
		cases += n[v];
	len = (size_t)snprintf(out, size, "%zu cases:", cases);
	for (unsigned v = 0; v < BC_NVERDICTS && len < size; v++)
		if (n[v])
			len += (size_t)snprintf(out + len, size - len, " %zu %s", n[v],
						bc_verdict_name((enum bc_verdict)v));
}

static void read_soak(struct bc_qualify_step *s, const char *dir)
{
	json_t *j = load(dir, "soak.json");

	if (j)
		(void)snprintf(s->result, sizeof(s->result),
			       "%lld rounds, %lld cases, %.3g GB compared, %lld findings, in %.0f s",
			       number_of(j, "rounds"), number_of(j, "cases"), (double)number_of(j, "bytes") / 1e9,
			       number_of(j, "findings"), json_number_value(json_object_get(j, "seconds")));
	json_decref(j);
}

static enum bc_status read_run(const struct bc_qualify_options *o, struct bc_qualify_device *d, enum bc_qualify_kind k,
			       const char *dir, struct bc_error *err)
{
	struct bc_qualify_step *s = &d->step[k];
	size_t n[BC_NVERDICTS] = { 0 }, npaths = 0, devices = 0;
	char **paths = NULL, words[250];
	struct bc_error why;
	int worst = 0;
	enum bc_status st = s->status == 3 ? BC_EREAD : bc_report_paths(dir, &paths, &npaths, &why);

	for (size_t i = 0; !st && i < npaths; i++) {
		struct bc_read_file f = { 0 };

		st = bc_report_read(paths[i], &f, &why);
		for (size_t r = 0; !st && r < f.ndevices; r++, devices++) {
			const int w = read_cases(d, &f.devices[r], n);

			worst = w > worst ? w : worst;
			if (k != BC_QUALIFY_CATALOGUE)
				continue;
			read_facts(d, &f.devices[r]);
			judge_facts(o, d, &f.devices[r]);
		}
		bc_report_release(&f);
	}
	for (size_t i = 0; i < npaths; i++)
		free(paths[i]);
	free(paths);
	if (st == BC_ENOMEM)
		return bc_fail(err, st, "%s", why.msg);
	if (st || !devices) {
		last_words(dir, words, sizeof(words));
		bc_qualify_add(d, true, 2, "%s could not be run (status %d): %s", bc_qualify_step_name(k), s->status,
			       words);
		return BC_OK;
	}
	write_sums(n, s->result, sizeof(s->result));
	for (unsigned v = 0; v < BC_NVERDICTS && k != BC_QUALIFY_SOAK; v++)
		d->verdict[v] += n[v];
	if (k == BC_QUALIFY_SOAK)
		read_soak(s, dir);
	if (s->status && !worst)
		bc_qualify_add(d, true,
			       s->status == 4	? 4
			       : s->status == 1 ? 1
						: 2,
			       s->status == 4 ? "%s: not everything could be judged (status %d)"
			       : s->status == 1
				       ? "%s: a case passed only in a later attempt, or a worker died (status %d)"
				       : "%s ended with status %d",
			       bc_qualify_step_name(k), s->status);
	return BC_OK;
}

/* ---- map ---- */

static void read_rows(const json_t *bits, struct bc_qualify_law *law)
{
	law->rows = (unsigned)json_array_size(bits);
	law->known = law->rows > 0 && law->rows <= BC_BANK_BITS_MAX;
	for (unsigned i = 0; law->known && i < law->rows; i++) {
		const json_t *row = json_array_get(bits, i);

		law->row[i] = 0;
		for (size_t b = 0; b < json_array_size(row); b++)
			law->row[i] |= UINT32_C(1) << (json_integer_value(json_array_get(row, b)) & 31);
	}
}

/* "32 banks of 4 bytes; bank bit 0 = address bits 2 14; ..." */
static void write_law(const json_t *j, const struct bc_qualify_law *law, char *out, size_t size)
{
	size_t len = (size_t)snprintf(out, size, "%lld banks of %lld bytes", number_of(j, "banks"),
				      number_of(j, "bank_bytes"));

	for (unsigned i = 0; law->known && i < law->rows && len < size; i++) {
		len += (size_t)snprintf(out + len, size - len, "; bank bit %u = address bit%s", i,
					law->row[i] & (law->row[i] - 1) ? "s" : "");
		for (unsigned b = 0; b < 32 && len < size; b++)
			if (law->row[i] >> b & 1u)
				len += (size_t)snprintf(out + len, size - len, " %u", b);
	}
}

static void read_differences(struct bc_qualify_device *d, const json_t *list)
{
	size_t len = 0;

	for (size_t i = 0; i < json_array_size(list) && len < sizeof(d->differences); i++)
		len += (size_t)snprintf(d->differences + len, sizeof(d->differences) - len, "%s%s", i ? "\n" : "",
					json_string_value(json_array_get(list, i)));
}

static void judge_map(struct bc_qualify_device *d, const json_t *m, const json_t *law)
{
	struct bc_qualify_step *s = &d->step[BC_QUALIFY_MAP];

	if (law && !json_is_true(json_object_get(law, "linear"))) {
		(void)bc_strlcpy(s->result, "the bank is no linear function of the address bits", sizeof(s->result));
		bc_qualify_add(d, true, 1, "bank law: not linear over the address bits: %.250s",
			       text_of(law, "counter_example"));
	} else if (law && !json_is_true(json_object_get(m, "as_expected"))) {
		(void)bc_strlcpy(s->result, "a law other than the expected one", sizeof(s->result));
		bc_qualify_add(d, true, 1, "bank law other than expected of %.20s; found: %.320s", text_of(m, "arch"),
			       d->law);
	} else if (law && !json_is_true(json_object_get(m, "witnesses_agree"))) {
		(void)bc_strlcpy(s->result, "counters and clock find different laws", sizeof(s->result));
		bc_qualify_add(d, true, 1, "bank law: counters and clock find different laws");
	} else if (law && s->status == 0) {
		(void)bc_strlcpy(s->result, "as expected", sizeof(s->result));
	} else {
		(void)snprintf(s->result, sizeof(s->result), "no law found");
		bc_qualify_add(d, true, s->status == 1 || s->status == 4 ? s->status : 2,
			       "bank law: none that nothing contradicts was found (status %d; map/output.txt)",
			       s->status);
	}
}

static enum bc_status read_map(const struct bc_qualify_options *o, struct bc_qualify_device *d, const char *dir,
			       struct bc_error *err)
{
	json_t *j = load(dir, "output.txt");
	const json_t *m = json_array_get(json_object_get(j, "devices"), 0), *law = NULL;
	static const char *const by[] = { "counters", "clock" };
	struct bc_arch arch;
	struct bc_error ignored;
	char words[250];

	(void)err;
	for (size_t i = 0; !law && i < BC_ARRAY_LEN(by); i++)
		if (json_is_true(json_object_get(json_object_get(m, by[i]), "found")))
			law = json_object_get(m, by[i]);
	if (!m) {
		last_words(dir, words, sizeof(words));
		bc_qualify_add(d, true, 2, "map could not be run (status %d): %s", d->step[BC_QUALIFY_MAP].status,
			       words);
	} else {
		read_rows(json_object_get(law, "bank_bits"), &d->found);
		if (law && json_is_true(json_object_get(law, "linear")))
			write_law(law, &d->found, d->law, sizeof(d->law));
		read_differences(d, json_object_get(m, "differences"));
		judge_map(d, m, law);
		if (!bc_arch_load(o->expected_dir, text_of(m, "arch"), &arch, &ignored)) {
			const struct bc_geometry g = bc_arch_geometry(&arch);

			d->expected.rows = bc_geometry_bank_bits(&g, d->expected.row);
			d->expected.known = true;
		}
	}
	json_decref(j);
	return BC_OK;
}

/* ---- diff, matrix ---- */

static void read_diff(struct bc_qualify_device *d, const char *dir)
{
	struct bc_qualify_step *s = &d->step[BC_QUALIFY_DIFF];
	json_t *j = load(dir, "output.txt");
	const json_t *sums = json_object_get(j, "sums"), *clocks = json_object_get(j, "clocks");
	const char *other = d->beside[0] ? d->beside : "the baseline";
	char words[250];

	if (!j) {
		last_words(dir, words, sizeof(words));
		bc_qualify_add(d, true, 2, "%s could not be compared (status %d): %s", other, s->status, words);
		return;
	}
	(void)snprintf(s->result, sizeof(s->result), "%lld cases compared: %lld the same, %lld worse, %lld better",
		       number_of(sums, "cases"), number_of(sums, "same"), number_of(sums, "worse"),
		       number_of(sums, "better"));
	(void)snprintf(d->clock, sizeof(d->clock),
		       "%lld cases compared with the clock of %s: %lld as fast, %lld slower, %lld faster, %lld not "
		       "to be told",
		       number_of(clocks, "compared"), other, number_of(clocks, "same"), number_of(clocks, "slower"),
		       number_of(clocks, "faster"), number_of(clocks, "undecided"));
	if (s->status == 1)
		bc_qualify_add(d, false, 0, "worse than %s in %lld cases (diff/output.txt)", other,
			       number_of(sums, "worse"));
	else if (s->status)
		bc_qualify_add(d, true, 2, "%s could not be compared wholly (status %d, diff/output.txt)", other,
			       s->status);
	if (number_of(clocks, "slower"))
		bc_qualify_add(d, false, 0, "%lld cases are slower than %s", number_of(clocks, "slower"), other);
	json_decref(j);
}

static void read_matrix(struct bc_qualify_device *d)
{
	struct bc_qualify_step *s = &d->step[BC_QUALIFY_MATRIX];

	(void)bc_strlcpy(s->result,
			 s->status == 0	  ? "no run differs from the base"
			 : s->status == 1 ? "a run is worse than the base (matrix/matrix.html)"
					  : "not all runs could be compared (matrix/matrix.html)",
			 sizeof(s->result));
	if (s->status)
		bc_qualify_add(d, true, s->status == 1 || s->status == 4 ? s->status : 2, "matrix: %s", s->result);
}

enum bc_status bc_qualify_read(const struct bc_qualify_options *o, struct bc_qualify_device *d, enum bc_qualify_kind k,
			       const char *dir, struct bc_error *err)
{
	switch (k) {
	case BC_QUALIFY_MAP: return read_map(o, d, dir, err);
	case BC_QUALIFY_DIFF: read_diff(d, dir); return BC_OK;
	case BC_QUALIFY_MATRIX: read_matrix(d); return BC_OK;
	case BC_QUALIFY_CATALOGUE:
	case BC_QUALIFY_CELLS:
	case BC_QUALIFY_SOAK: return read_run(o, d, k, dir, err);
	default: return BC_OK;
	}
}
