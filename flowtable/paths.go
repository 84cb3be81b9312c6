package flowtable

// Paths are the look-ups of packets, each packet's under a number. Which of them an entry that comes would change is found by
// comparing it with each, a few words at a time: those that have compared the same fields lie side by side.
type Paths struct {
	groups []*pathGroup // in no order
	of     map[pathKind]*pathGroup
	places map[uint32][]pathPlace // by number, one in each table
}

// pathKind is what the look-ups of a group have in common.
type pathKind struct {
	table    uint8
	found    bool
	priority uint16 // of the entry that was found
	mask     words  // what was compared
}

// pathGroup are look-ups of a kind.
type pathGroup struct {
	pathKind
	maskedWords
	place   int      // in groups
	keys    []uint64 // as long as words, of each
	numbers []uint32
}

// pathPlace is where a look-up is.
type pathPlace struct {
	in *pathGroup
	at int
}

// Add adds the packet of a decision, under a number that none has.
func (x *Paths) Add(number uint32, d *Decision) {
	if x.of == nil {
		x.of, x.places = make(map[pathKind]*pathGroup), make(map[uint32][]pathPlace)
	}
	places := make([]pathPlace, 0, len(d.looked))
	for i := range d.looked {
		l := &d.looked[i]
		kind := pathKind{l.table, l.found, l.priority, l.mask}
		g := x.of[kind]
		if g == nil {
			g = &pathGroup{pathKind: kind, maskedWords: choose(&l.mask), place: len(x.groups)}
			x.of[kind], x.groups = g, append(x.groups, g)
		}
		places = append(places, pathPlace{g, len(g.numbers)})
		g.numbers = append(g.numbers, number)
		for _, w := range g.words {
			g.keys = append(g.keys, l.value[w])
		}
	}
	x.places[number] = places
}

// Remove removes a packet.
func (x *Paths) Remove(number uint32) {
	for _, p := range x.places[number] {
		g, n := p.in, len(p.in.words)
		last := len(g.numbers) - 1
		moved := g.numbers[last]
		g.numbers[p.at] = moved
		copy(g.keys[p.at*n:(p.at+1)*n], g.keys[last*n:])
		g.numbers, g.keys = g.numbers[:last], g.keys[:last*n]
		for i := range x.places[moved] {
			if q := &x.places[moved][i]; q.in == g {
				q.at = p.at
			}
		}
		if last == 0 {
			delete(x.of, g.pathKind)
			end := len(x.groups) - 1
			x.groups[g.place] = x.groups[end]
			x.groups[g.place].place = g.place
			x.groups[end] = nil
			x.groups = x.groups[:end]
		}
	}
	delete(x.places, number)
}

// Meeting returns the numbers of packets that may match an entry which comes, of those that have found none of a higher priority
// in its table; each once.
func (x *Paths) Meeting(e *Entry) (list []uint32) {
	var f filter
	if f.parse(&e.Match) != nil { // it has come as a match
		f = filter{}
	}
	for _, g := range x.groups {
		if g.table == e.Table && !(g.found && g.priority > e.Priority) {
			list = g.meeting(&f, list)
		}
	}
	return list
}

func (g *pathGroup) meeting(f *filter, list []uint32) []uint32 {
	n := len(g.words)
next:
	for i, number := range g.numbers {
		for k, w := range g.words {
			if (g.keys[i*n+k]^f.value[w%numWords])&f.mask[w%numWords]&g.masks[k] != 0 {
				continue next
			}
		}
		list = append(list, number)
	}
	return list
}
