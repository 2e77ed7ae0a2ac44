package gitops

// Propagation says how a deletion takes along what an object, or an
// Application, has. Users write it in these words.
type Propagation string

// The ways to delete.
const (
	// DeleteForeground deletes what is owned first.
	DeleteForeground Propagation = "foreground"
	// DeleteBackground leaves what is owned to the garbage collector.
	DeleteBackground Propagation = "background"
	// DeleteOrphan lets what is owned stay.
	DeleteOrphan Propagation = "orphan"
)
