// The explorer's data if there are thousands of communities: what a pair shares is found in the lists of both nodes.

class SparseNetwork extends Network {
  /** The lists of affinities to communities and of neighbours; neighbours beyond the names have only a number. */
  read(explorer) {
    const { communities, memberships, neighbours, missing } = explorer;
    this.numbers = unpack(communities.number);
    this.odds = unpack(communities.odds);
    this.member = {
      start: unpack(memberships.start), rows: unpack(memberships.rows), share: unpack(memberships.share),
    };
    this.weight = neighbours.weight;
    this.adds = neighbours.adds;
    this.shape = neighbours.shape;
    this.counted = unpack(neighbours.counted);
    this.throughNode = unpack(neighbours.affinity);
    this.searched = unpack(missing.searched);
  }

  all(row) {
    return super.neighbours(row);
  }

  /** The neighbours that have names on this page, the likeliest first. */
  neighbours(row) {
    return this.all(row).filter((other) => other < this.names.length);
  }

  /** The share of the node's links that run through each of its communities. */
  memberships(row) {
    const { start, rows, share } = this.member;
    return range(start[row], start[row + 1]).map((at) => ({
      name: `B${this.numbers[rows[at]] + 1}`, kind: "attracts", shares: true, community: this.numbers[rows[at]],
      value: Math.max(share[at], Number.MIN_VALUE),
    }));
  }

  /** The nodes that both are linked with, those that say most first. */
  common(i, j) {
    const mine = new Set(this.all(i).subarray(0, this.counted[i]));
    const both = [...this.all(j).subarray(0, this.counted[j])].filter((row) => mine.has(row) && this.throughNode[row]);
    return both.sort((a, b) => this.throughNode[b] - this.throughNode[a] || a - b);
  }

  reasons(i, j) {
    const { start, rows } = this.member;
    const mine = new Set(rows.subarray(start[i], start[i + 1]));
    const shared = [...rows.subarray(start[j], start[j + 1])].filter((c) => mine.has(c));
    const common = this.common(i, j);
    const together = shared.reduce((sum, c) => sum + this.odds[c], 0);
    const known = this.weight * Math.log1p(common.reduce((sum, row) => sum + this.throughNode[row] ** 2, 0));
    const raised = this.adds ? together + Math.expm1(known) : together;
    const logRate = Math.log1p(raised) + (this.adds ? 0 : known);
    // Each has the part of the log-odds that it has of the logarithm of the rate, and of a sum in it.
    const scale = logRate ? this.added(this.baseline(i, j), logRate) / logRate : 0;
    const each = raised ? (scale * Math.log1p(raised)) / raised : 0;
    const found = shared.map((c) => ({
      name: `B${this.numbers[c] + 1}`, kind: "attracts", finer: false, logOdds: each * this.odds[c],
    }));
    const name = plural(common.length, "common neighbour", "common neighbours");
    const logOdds = this.adds ? each * Math.expm1(known) : scale * known;
    return common.length ? [...found, { name, kind: "", finer: false, logOdds }] : found;
  }

  /** What a raised rate adds to the log-odds of a pair that would share nothing. */
  added(alone, logRate) {
    return this.oddsOfRate(alone + logRate) - this.oddsOfRate(alone);
  }

  /** The log-odds of at least one meeting at a rate: log((1 + rate / shape)^shape - 1). */
  oddsOfRate(logRate) {
    if (logRate < -30) return logRate;
    const none = this.shape * Math.log1p(Math.exp(logRate - Math.log(this.shape)));
    return none + Math.log(-Math.expm1(-none));
  }

  logit(i, j) {
    return this.reasons(i, j).reduce((sum, reason) => sum + reason.logOdds, this.baseline(i, j));
  }

  linked(i, j) {
    return this.all(i).includes(j);
  }
}

/** The common neighbours of a pair as buttons; those without a name on this page are only counted. */
function commonNeighbours(network, node, other, show) {
  const all = network.common ? network.common(node, other) : [];
  if (!all.length) return [];
  const shown = all.filter((row) => row < network.names.length).slice(0, SHOWN_NEIGHBOURS);
  const rest = all.length - shown.length;
  return [
    element("h4", {}, `Common ${all.length === 1 ? "neighbour" : "neighbours"}, those with the fewest links first`),
    element("ul", { class: "chips" }, shown.map((row) => element("li", {}, nodeButton(network, node, row, show)))),
    rest ? element("p", { class: "small" }, `and ${count(rest)} more`) : null,
  ].filter((part) => part !== null);
}

function wordsAboutNone(network, node) {
  if (!network.searched[node]) return "This page does not have them: too many nodes are close to this one.";
  return "No other node shares a community or a neighbour with it.";
}
