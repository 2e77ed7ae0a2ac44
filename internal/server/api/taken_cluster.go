package api

// Taken is that clusters have the name or the address of another one that is to be
// written. Whoever may add clusters to one project could guess by it which ones
// others have: it is told in full of those that they may read.
type Taken struct {
	// Unfit is what does not fit besides.
	Unfit Unfit
	By    []TakenBy
}

// TakenBy is a cluster that has the name, the address, or both.
type TakenBy struct {
	MemberFields

	Name, Server bool
}

// Error tells nothing of the clusters.
func (t *Taken) Error() string { return "another cluster has this name or this address" }

// to is what somebody is told who may read some clusters.
func (t *Taken) to(readable func(*MemberFields) bool) error {
	out := &Unfit{Fields: t.Unfit.Fields}
	hidden := false
	for i := range t.By {
		by := &t.By[i]
		if !readable(&by.MemberFields) {
			hidden = true
			continue
		}
		if by.Name {
			out.Add("name", "another cluster has this name")
		}
		if by.Server {
			out.Add("server", "another cluster has this address")
		}
	}
	if hidden {
		out.Add("", "a cluster that you may not read has this name or this address: take another name, and if that does not help, ask who administers the installation")
	}
	return out.Err()
}
