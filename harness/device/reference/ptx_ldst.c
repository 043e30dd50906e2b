/* SPDX-License-Identifier: MIT */
/* ld and st: every space, width and vector. */
#include "harness/device/reference/ptx_cluster.h"

#include <string.h>

/* Addresses of all lanes, also of inactive ones: the bank count's hook may ask for them. */
static void lane_addresses(struct bc_ptx_run *x, const struct bc_ptx_warp *w, const struct bc_ptx_insn *in)
{
	const uint64_t *base = w->r + in->src[0];

	for (unsigned l = 0; l < BC_LANES; l++)
		x->addr[l] = base[l] + in->imm;
}

/* The bytes of one lane in a space; NULL after a finding that stops the launch. */
static const unsigned char *readable(struct bc_ptx_run *x, struct bc_ptx_warp *w, const struct bc_ptx_insn *in,
				     enum bc_ptx_space space, uint32_t lane, uint64_t addr, uint32_t bytes)
{
	switch (space) {
	case BC_PTX_SHARED: return bc_ptx_shared_at(x, w, in, lane, addr, bytes, bytes, false);
	case BC_PTX_LOCAL: return bc_ptx_local_at(x, w, in, lane, addr, bytes, bytes, false);
	case BC_PTX_PARAM: return bc_ptx_param_at(x, w, in, lane, addr, bytes, in->elem);
	case BC_PTX_CONST: return bc_ptx_const_at(x, w, in, lane, addr, bytes, bytes);
	default: return bc_ptx_global_at(x, w, in, lane, addr, bytes, bytes, false);
	}
}

static unsigned char *writable(struct bc_ptx_run *x, struct bc_ptx_warp *w, const struct bc_ptx_insn *in,
			       enum bc_ptx_space space, uint32_t lane, uint64_t addr, uint32_t bytes)
{
	const struct bc_ptx_where_at at = {
		.kind = BC_PTX_READ_ONLY, .space = space, .lane = lane, .addr = addr, .bytes = bytes, .write = true
	};

	switch (space) {
	case BC_PTX_SHARED: return bc_ptx_shared_at(x, w, in, lane, addr, bytes, bytes, true);
	case BC_PTX_LOCAL: return bc_ptx_local_at(x, w, in, lane, addr, bytes, bytes, true);
	case BC_PTX_PARAM:
	case BC_PTX_CONST: bc_ptx_add_finding(x, w, in, &at); return NULL;
	default: return bc_ptx_global_at(x, w, in, lane, addr, bytes, bytes, true);
	}
}

static uint64_t window_of(enum bc_ptx_space space)
{
	if (space == BC_PTX_SHARED)
		return BC_PTX_SHARED_WINDOW;
	return space == BC_PTX_LOCAL ? BC_PTX_LOCAL_WINDOW : 0;
}

/* Read what @mask's lanes ask of one space into x->data. */
static void load_from(struct bc_ptx_run *x, struct bc_ptx_warp *w, const struct bc_ptx_insn *in,
		      enum bc_ptx_space space, const uint64_t addr[BC_LANES], uint32_t mask)
{
	const struct bc_ptx_hooks *h = x->g->l->hooks;
	const uint32_t bytes = (uint32_t)in->elem * in->vec;
	const enum bc_op op = bc_ptx_access_op(bytes, false, in->space == BC_PTX_GENERIC);
	struct bc_ptx_access a;

	for (uint32_t m = mask; m != 0; m &= m - 1) {
		const uint32_t l = (uint32_t)__builtin_ctz(m);
		const unsigned char *p = readable(x, w, in, space, l, addr[l], bytes);

		if (!p)
			return;
		if (space == BC_PTX_SHARED)
			bc_ptx_shared_read(x, w, in, l, addr[l], bytes, false);
		if (space == BC_PTX_GLOBAL || space == BC_PTX_CONST)
			bc_ptx_global_load(x->data[l], p, bytes, in->elem);
		else
			memcpy(x->data[l], p, bytes);
	}
	if (space == BC_PTX_SHARED) {
		x->counts.ld_requests += bc_ptx_counts_request(x, in);
		bc_ptx_count_shared(x, w, in, op, addr, mask);
	} else if (space == BC_PTX_GLOBAL) {
		bc_ptx_count_global(x, addr, bytes, mask, false);
	}
	a = bc_ptx_access_of(x, w, in, BC_PTX_LOAD, space, bytes, mask, addr);
	if (h && h->load) {
		a.op = space == BC_PTX_SHARED && !x->remote ? op : BC_OP_NONE;
		h->load(h->ctx, &a, x->data);
	}
}

static void store_to(struct bc_ptx_run *x, struct bc_ptx_warp *w, const struct bc_ptx_insn *in, enum bc_ptx_space space,
		     const uint64_t addr[BC_LANES], uint32_t mask)
{
	const struct bc_ptx_hooks *h = x->g->l->hooks;
	const uint32_t bytes = (uint32_t)in->elem * in->vec;
	const uint32_t all = bytes == 32 ? UINT32_MAX : (1u << bytes) - 1;
	const enum bc_op op = bc_ptx_access_op(bytes, true, in->space == BC_PTX_GENERIC);
	unsigned char *p[BC_LANES];
	uint32_t enable[BC_LANES];
	struct bc_ptx_access a;

	for (uint32_t m = mask; m != 0; m &= m - 1) {
		const uint32_t l = (uint32_t)__builtin_ctz(m);

		p[l] = writable(x, w, in, space, l, addr[l], bytes);
		enable[l] = all;
		if (!p[l])
			return;
	}
	if (space == BC_PTX_SHARED) {
		x->counts.st_requests += bc_ptx_counts_request(x, in);
		bc_ptx_count_shared(x, w, in, op, addr, mask);
	} else if (space == BC_PTX_GLOBAL) {
		bc_ptx_count_global(x, addr, bytes, mask, true);
	}
	a = bc_ptx_access_of(x, w, in, BC_PTX_STORE, space, bytes, mask, addr);
	if (h && h->store) {
		a.op = space == BC_PTX_SHARED && !x->remote ? op : BC_OP_NONE;
		h->store(h->ctx, &a, x->data, enable);
	}
	for (uint32_t m = mask; m != 0; m &= m - 1) {
		const uint32_t l = (uint32_t)__builtin_ctz(m);

		if (space == BC_PTX_GLOBAL) {
			bc_ptx_global_store(p[l], x->data[l], bytes, in->elem, enable[l]);
			continue;
		}
		if (space == BC_PTX_SHARED) {
			bc_ptx_shared_put(x, w, in, l, addr[l], bytes, enable[l]);
			continue;
		}
		if ((enable[l] & all) == all) {
			memcpy(p[l], x->data[l], bytes);
			continue;
		}
		for (uint32_t i = 0; i < bytes; i++)
			if (enable[l] >> i & 1)
				p[l][i] = x->data[l][i];
	}
}

static void in_space(struct bc_ptx_run *x, struct bc_ptx_warp *w, const struct bc_ptx_insn *in, bc_ptx_access_fn *fn,
		     enum bc_ptx_space space, const uint64_t addr[BC_LANES], uint32_t mask)
{
	if (space == BC_PTX_SHARED)
		bc_ptx_cluster_access(x, w, in, fn, addr, mask);
	else
		fn(x, w, in, space, addr, mask);
}

/* Call @fn for the instruction's space; for a generic one, for each space that its lanes reach. */
static void by_space(struct bc_ptx_run *x, struct bc_ptx_warp *w, const struct bc_ptx_insn *in, uint32_t mask,
		     bc_ptx_access_fn *fn)
{
	uint32_t lanes[BC_PTX_GENERIC] = { 0 };
	uint64_t addr[BC_LANES];

	if (in->space != BC_PTX_GENERIC) {
		in_space(x, w, in, fn, (enum bc_ptx_space)in->space, x->addr, mask);
		return;
	}
	for (uint32_t m = mask; m != 0; m &= m - 1) {
		const uint32_t l = (uint32_t)__builtin_ctz(m);

		lanes[bc_ptx_space_of(x, x->addr[l])] |= 1u << l;
	}
	for (unsigned s = 0; s < BC_PTX_GENERIC && !x->failed; s++) {
		if (lanes[s] == 0)
			continue;
		for (unsigned l = 0; l < BC_LANES; l++)
			addr[l] = x->addr[l] - window_of((enum bc_ptx_space)s);
		in_space(x, w, in, fn, (enum bc_ptx_space)s, addr, lanes[s]);
	}
}

/* Memory bytes of one element to a register: zero- or sign-extended to the register's width. */
static uint64_t to_register(const struct bc_ptx_insn *in, const unsigned char *data)
{
	const unsigned bits = 8u * in->elem;
	uint64_t v = 0;

	memcpy(&v, data, in->elem); /* little-endian hosts only, as the device is */
	if (bits < 64 && bc_ptx_type_signed((enum bc_ptx_type)in->type) && (v >> (bits - 1) & 1) != 0) {
		v |= UINT64_MAX << bits;
		if (in->reg_bytes < 8)
			v &= (UINT64_C(1) << 8u * in->reg_bytes) - 1;
	}
	return v;
}

static void load(struct bc_ptx_run *x, struct bc_ptx_warp *w, const struct bc_ptx_insn *in, uint32_t mask)
{
	const uint32_t *list = x->k->list + in->list;

	if (bc_ptx_load_words(x, w, in, mask))
		return;
	lane_addresses(x, w, in);
	by_space(x, w, in, mask, load_from);
	if (x->failed)
		return;
	for (uint32_t i = 0; i < in->vec; i++) {
		uint64_t *d = w->r + list[i];

		for (uint32_t m = mask; m != 0; m &= m - 1) {
			const unsigned l = (unsigned)__builtin_ctz(m);

			d[l] = to_register(in, x->data[l] + i * in->elem);
		}
	}
}

static void store(struct bc_ptx_run *x, struct bc_ptx_warp *w, const struct bc_ptx_insn *in, uint32_t mask)
{
	const uint32_t *list = x->k->list + in->list;

	if (bc_ptx_store_words(x, w, in, mask))
		return;
	lane_addresses(x, w, in);
	for (uint32_t i = 0; i < in->vec; i++) {
		const uint64_t *s = w->r + list[i];

		for (uint32_t m = mask; m != 0; m &= m - 1) {
			const unsigned l = (unsigned)__builtin_ctz(m);

			memcpy(x->data[l] + i * in->elem, &s[l], in->elem);
		}
	}
	by_space(x, w, in, mask, store_to);
}

static bool take_space(struct bc_ptx_decoder *d, bool is_load)
{
	static const struct {
		const char *name;
		enum bc_ptx_space space;
		bool load, store;
	} spaces[] = {
		{ "global", BC_PTX_GLOBAL, true, true },       { "shared", BC_PTX_SHARED, true, true },
		{ "shared::cta", BC_PTX_SHARED, true, true },  { "local", BC_PTX_LOCAL, true, true },
		{ "const", BC_PTX_CONST, true, false },	       { "param", BC_PTX_PARAM, true, true },
		{ "param::entry", BC_PTX_PARAM, true, false }, { "shared::cluster", BC_PTX_SHARED, true, true },
	};

	for (size_t i = 0; i < BC_ARRAY_LEN(spaces); i++) {
		if (!(is_load ? spaces[i].load : spaces[i].store) || !bc_ptx_take_modifier(d, spaces[i].name))
			continue;
		d->in->space = (uint8_t)spaces[i].space;
		return true;
	}
	return false;
}

/* Ordering, scopes and cache hints: nothing here depends on them. */
static bool take_hint(struct bc_ptx_decoder *d)
{
	static const char *const words[] = {
		"weak",
		"volatile",
		"relaxed",
		"acquire",
		"release",
		"mmio",
		"cta",
		"cluster",
		"gpu",
		"sys",
		"ca",
		"cg",
		"cs",
		"lu",
		"cv",
		"wb",
		"wt",
		"nc",
		"L1::evict_normal",
		"L1::evict_unchanged",
		"L1::evict_first",
		"L1::evict_last",
		"L1::no_allocate",
		"L2::evict_normal",
		"L2::evict_first",
		"L2::evict_last",
		"L2::cache_hint",
		"L2::64B",
		"L2::128B",
		"L2::256B",
	};

	for (size_t i = 0; i < BC_ARRAY_LEN(words); i++)
		if (bc_ptx_take_modifier(d, words[i]))
			return true;
	return false;
}

static bool take_vector(struct bc_ptx_decoder *d)
{
	for (unsigned n = 2; n <= 8; n *= 2) {
		const char word[] = { 'v', (char)('0' + n), '\0' };

		if (!bc_ptx_take_modifier(d, word))
			continue;
		d->in->vec = (uint8_t)n;
		return true;
	}
	return false;
}

/* The registers loaded or stored, into the kernel's list. */
static enum bc_status take_registers(struct bc_ptx_decoder *d, unsigned i, bool is_load)
{
	struct bc_ptx_insn *in = d->in;
	const struct bc_ptx_operand *o = bc_ptx_operand_at(d, i);
	enum bc_status st = BC_OK;

	if ((o->kind == BC_PTX_O_VECTOR ? o->count : 1) != in->vec)
		return bc_ptx_refuse(d, "the number of registers does not match the vector");
	in->list = (uint32_t)d->k->nlist;
	in->list_use = is_load ? BC_PTX_LIST_WRITTEN : BC_PTX_LIST_READ;
	in->nregs = in->vec;
	in->reg_bytes = 8;
	for (unsigned n = 0; n < in->vec && !st; n++) {
		const struct bc_ptx_operand *r = o->kind == BC_PTX_O_VECTOR ? &d->e->operand[o->first + n] : o;
		uint32_t slot = 0;

		if (is_load)
			st = bc_ptx_operand_dst(d, r, in->elem, true, &slot);
		else
			st = bc_ptx_operand_src(d, r, (enum bc_ptx_type)in->type, true, &slot);
		if (!st && r->kind == BC_PTX_O_REG && is_load)
			in->reg_bytes = (uint8_t)bc_ptx_type_bytes(d->e->reg[r->reg]);
		if (!st)
			st = bc_ptx_list_add(d, slot);
	}
	return st;
}

enum bc_status bc_ptx_decode_ldst(struct bc_ptx_decoder *d)
{
	struct bc_ptx_insn *in = d->in;
	const bool is_load = d->mod[0].s[0] == 'l';
	const bool hinted = bc_ptx_has_modifier(d, "L2::cache_hint");
	enum bc_status st = bc_ptx_noperands(d, hinted ? 3 : 2, hinted ? 3 : 2);

	if (st)
		return st;
	in->space = BC_PTX_GENERIC;
	in->vec = 1;
	if (bc_ptx_has_modifier(d, "shared::cluster")) {
		if (!d->k->arch.cluster)
			return bc_ptx_lacks(d, "clusters");
		in->flags |= BC_PTX_FL_CLUSTER;
	}
	while (take_space(d, is_load) || take_vector(d) || take_hint(d))
		;
	in->type = (uint8_t)bc_ptx_take_type(d);
	in->elem = (uint8_t)bc_ptx_type_bytes((enum bc_ptx_type)in->type);
	if (!bc_ptx_modifiers_done(d) || in->elem == 0 || in->elem > 8 || in->type == BC_PTX_F32X2 ||
	    in->type == BC_PTX_U16X2 || in->type == BC_PTX_S16X2 || (unsigned)in->elem * in->vec > BC_PTX_LANE_BYTES)
		return bc_ptx_unknown(d);
	if ((unsigned)in->elem * in->vec > 16 && in->space != BC_PTX_GLOBAL)
		return bc_ptx_unknown(d);
	if (!is_load && in->space == BC_PTX_PARAM)
		return bc_ptx_refuse(d, "st.param belongs to a call; calls are not supported");
	if (is_load && (bc_ptx_has_modifier(d, "cg") || bc_ptx_has_modifier(d, "cv")))
		in->flags |= BC_PTX_FL_CACHE_GLOBAL;
	in->exec = is_load ? load : store;
	st = take_registers(d, is_load ? 0 : 1, is_load);
	return st ? st : bc_ptx_address(d, is_load ? 1 : 0, (enum bc_ptx_space)in->space, &in->src[0], &in->imm);
}
