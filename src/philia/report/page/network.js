// The explorer's data: the names and factors of nodes, and what follows from them for a pair.

class Network {
  constructor(explorer) {
    this.names = explorer.names;
    this.size = explorer.nodes;
    this.background = unpack(explorer.background);
    this.degrees = unpack(explorer.degrees);
    this.start = unpack(explorer.neighbours.start);
    this.rows = unpack(explorer.neighbours.rows);
    const missing = explorer.missing;
    this.missing = missing && {
      start: unpack(missing.start), rows: unpack(missing.rows), probability: unpack(missing.probability),
    };
    this.read(explorer);
    this.row = new Map(this.names.slice(0, this.size).map((name, row) => [name, row]));
  }

  /** The affinities to all columns and the memberships, as matrices. */
  read(explorer) {
    this.columns = explorer.columns;
    this.factors = unpack(explorer.factors);
    this.communities = explorer.communities;
    this.shown = unpack(explorer.memberships);
  }

  /** Whether the explorer has this node's factors; other nodes are only mentioned. */
  knows(row) {
    return row < this.size;
  }

  neighbours(row) {
    return this.rows.subarray(this.start[row], this.start[row + 1]);
  }

  /** The node's membership in each community; 0 if it is not a member. */
  memberships(row) {
    const k = this.communities.length;
    return this.communities.map((community, c) => ({
      name: community.name, kind: community.sign > 0 ? "attracts" : "repels", shares: community.shares,
      value: this.shown[row * k + c],
    }));
  }

  /** The members of a community that this page has, fullest first. */
  membersOf(name) {
    const found = [];
    for (let row = 0; row < this.size; row++) {
      const own = this.memberships(row).find((one) => one.name === name && one.value > 0);
      if (own) found.push({ row, value: own.value });
    }
    return found.sort((a, b) => b.value - a.value || a.row - b.row);
  }

  baseline(i, j) {
    return this.background[i] + this.background[j];
  }

  /** What each community adds to the log-odds of the pair, with the columns that refine it; computed in 64 bits from
   * 32-bit factors. */
  reasons(i, j) {
    const k = this.columns.length;
    const added = (c) => this.columns[c].sign * this.factors[i * k + c] * this.factors[j * k + c];
    const found = new Map();
    this.columns.forEach((column, c) => {
      if (column.part_of) return;
      const kind = column.sign > 0 ? "attracts" : "repels";
      found.set(column.name, { name: column.name, kind, finer: column.finer, logOdds: added(c) });
    });
    this.columns.forEach((column, c) => {
      if (column.part_of) found.get(column.part_of).logOdds += added(c);
    });
    return [...found.values()];
  }

  logit(i, j) {
    const k = this.columns.length;
    let sum = this.baseline(i, j);
    for (let c = 0; c < k; c++) sum += this.columns[c].sign * this.factors[i * k + c] * this.factors[j * k + c];
    return sum;
  }

  /** True or false if the lists of neighbours tell, null if they are cut too short. */
  linked(i, j) {
    if (this.neighbours(i).includes(j) || (this.knows(j) && this.neighbours(j).includes(i))) return true;
    const whole = (row) => this.neighbours(row).length >= this.degrees[row];
    return whole(i) || (this.knows(j) && whole(j)) ? false : null;
  }

  /** The likeliest missing links: from the payload, or computed over all nodes. */
  likeliest(row, most = 10) {
    if (this.missing) {
      const { start, rows, probability } = this.missing;
      const places = range(start[row], Math.min(start[row + 1], start[row] + most));
      return places.map((at) => ({ row: rows[at], probability: probability[at] }));
    }
    const linked = new Set(this.neighbours(row));
    const best = [];
    for (let other = 0; other < this.size; other++) {
      if (other === row || linked.has(other)) continue;
      const logit = this.logit(row, other);
      if (best.length === most && logit <= best[most - 1].logit) continue;
      const before = best.findIndex((entry) => entry.logit < logit);
      best.splice(before < 0 ? best.length : before, 0, { row: other, logit });
      best.length = Math.min(best.length, most);
    }
    return best.map((entry) => ({ row: entry.row, probability: sigmoid(entry.logit) }));
  }

  bestLinked() {
    return this.degrees.reduce((best, degree, row) => (degree > this.degrees[best] ? row : best), 0);
  }
}

function range(first, end) {
  return Array.from({ length: Math.max(0, end - first) }, (_, i) => first + i);
}

/** Finds rows by name: the whole name first, then names that begin with the text, then those that contain it. */
class NameIndex {
  constructor(names, size) {
    this.folded = names.slice(0, size).map(fold);
  }

  find(text, most = 20) {
    const wanted = fold(text.trim());
    const ranks = [[], [], []];
    for (let row = 0; row < this.folded.length && ranks[0].length < most; row++) {
      const at = this.folded[row].indexOf(wanted);
      if (at < 0) continue;
      const rank = at > 0 ? 2 : this.folded[row].length === wanted.length ? 0 : 1;
      if (ranks[rank].length < most) ranks[rank].push(row);
    }
    return ranks.flat().slice(0, most);
  }
}

function fold(text) {
  return text.normalize("NFC").toLowerCase();
}
