package api

import "sync"

// wholes number the bridges that are told of: one is shown for a while, to many.
type wholes struct {
	mu   sync.Mutex
	last *wholeBridge
}

// wholeBridge is one that is not changed any more.
type wholeBridge struct {
	of     *Bridge
	number uint64
	// sets are those that it names, each once.
	sets []BridgeSet
}

// of is what is known of a bridge: another one has another number.
func (w *wholes) of(b *Bridge) *wholeBridge {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.last == nil {
		w.last = &wholeBridge{}
	}
	if w.last.of != b {
		w.last = &wholeBridge{of: b, number: w.last.number + 1, sets: b.sets()}
	}
	return w.last
}

// sets are all that a bridge names, in the order in which it does.
func (b *Bridge) sets() []BridgeSet {
	var out []BridgeSet
	known := map[BridgeSet]bool{}
	add := func(set BridgeSet) {
		if !known[set] {
			known[set] = true
			out = append(out, set)
		}
	}
	for i := range b.Failures {
		add(b.Failures[i].Set)
	}
	for i := range b.Clusters {
		for _, keys := range [][]BridgeKey{b.Clusters[i].Keys, b.Clusters[i].Missing} {
			for j := range keys {
				for k := range keys[j].Readers {
					add(keys[j].Readers[k].From)
				}
			}
		}
	}
	return out
}

// seenAs names what somebody sees of a bridge: which clusters are left of it,
// and which of its sets may be read. Clusters are told apart by all that rights
// go by.
func (b *Bridge) seenAs(sight *sight) string {
	clusters := make([]string, 0, 2*len(b.Clusters))
	for i := range b.Clusters {
		clusters = append(clusters, b.Clusters[i].Server, b.Clusters[i].Project)
	}
	sets := make([]bool, 0, len(b.whole.sets))
	for _, set := range b.whole.sets {
		sets = append(sets, sight.of(set))
	}
	return madeOf("bridge", b.whole.number, clusters, sets)
}
