package plan

// mostAllPaths bounds the paths of all changes of an application, in bytes.
const mostAllPaths = 8 << 20

// Telling counts what is told of the objects of an application. The zero value works.
type Telling struct{ paths int }

// Of is a difference as it is told: beyond the bound one change stands for all of
// an object.
func (t *Telling) Of(d Diff) Diff {
	paths := d.Paths()
	if t.paths+paths <= mostAllPaths {
		t.paths += paths
		return d
	}
	return d.inBrief()
}

// Paths is how many bytes the paths of the changes have.
func (d Diff) Paths() int {
	paths := 0
	for i := range d.Changes {
		paths += len(d.Changes[i].Path)
	}
	return paths
}

func (d Diff) inBrief() Diff {
	if d.live == nil || d.predicted == nil {
		return d // it has one change
	}
	d.brief, d.Changes = true, whole(d.live, d.predicted)
	return d
}
