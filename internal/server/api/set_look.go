package api

// SetLook is what somebody looks at of what a set gives.
type SetLook struct {
	// Application is the only one, with its manifest; empty for all, without.
	Application string
	// Offset are left out, and Limit are shown at most.
	Offset, Limit int
	// Sees reports whether an Application may be read, by its name and project.
	Sees func(*GeneratedApp) bool
}

// What one answer has of what a set gives, in bytes: whoever writes the files of a
// set decides about the length of everything.
const (
	mostShown = 8 << 20
	// perShown and perParameter are what there is besides texts.
	perShown     = 512
	perParameter = 64
)

// Show adds an Application, where it is one of those that are looked at. What it was
// made with is asked for only then, and what does not fit is left for the next
// answer.
func (e *Expansion) Show(look SetLook, a GeneratedApp, fill func(*GeneratedApp) error) error {
	if look.Application != "" && a.Name != look.Application || !look.Sees(&a) {
		return nil
	}
	e.Total++
	switch {
	case e.Total <= look.Offset || e.Next > 0:
		return nil
	case len(e.Applications) >= look.Limit:
		e.Next = e.Total - 1
		return nil
	}
	if err := fill(&a); err != nil {
		return err
	}
	size := a.size()
	if e.bytes+size > mostShown && len(e.Applications) > 0 {
		e.Next = e.Total - 1
		return nil
	}
	e.bytes += size
	e.Applications = append(e.Applications, a)
	return nil
}

// size is about what it takes.
func (a *GeneratedApp) size() int {
	n := perShown + len(a.Name) + len(a.Project) + len(a.Cluster) + len(a.Problem) + len(a.Manifest)
	for name, value := range a.Parameters {
		n += perParameter + len(name) + len(value)
	}
	return n
}
