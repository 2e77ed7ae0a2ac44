package v1

import (
	"hash/fnv"
	"time"
)

// defaultInterval is that of an ExternalSecret that says nothing.
const defaultInterval = time.Hour

// SecretName is the name of the object that is made.
func (e *ExternalSecret) SecretName() string {
	if e.Spec.Target.Name == "" {
		return e.Name
	}
	return e.Spec.Target.Name
}

// Interval is how much time passes between two refreshes.
func (e *ExternalSecret) Interval() time.Duration {
	if e.Spec.RefreshInterval == nil {
		return defaultInterval
	}
	return e.Spec.RefreshInterval.Duration
}

// Once reports whether values are fetched a single time. An interval of zero says so
// as well: External Secrets documents it as another way to write CreatedOnce.
func (e *ExternalSecret) Once() bool {
	policy := e.Spec.RefreshPolicy
	return policy == RefreshCreatedOnce || policy != RefreshOnChange && e.Interval() <= 0
}

// Periodic reports whether values are fetched again although nothing changed.
func (e *ExternalSecret) Periodic() bool {
	return !e.Once() && e.Spec.RefreshPolicy != RefreshOnChange
}

// NextRefresh is when values are fetched again, of an ExternalSecret that does not
// change; the zero time for never. It is never later than the interval says.
func (e *ExternalSecret) NextRefresh() time.Time {
	if !e.Periodic() {
		return time.Time{}
	}
	return e.Status.RefreshTime.Add(e.Interval() - e.ahead())
}

// ahead is by how much a refresh is earlier than the interval says, a tenth of it at
// the most: those that were made together are not all asked for together again. It
// depends on what is read first, so that those who read the same still share one call.
func (e *ExternalSecret) ahead() time.Duration {
	const parts = 1000
	if e.Interval() < time.Minute {
		return 0 // seconds are asked for by people who wait
	}
	store, entry := e.readsFirst()
	of := fnv.New32a()
	for _, text := range []string{store.Kind, store.Name, entry} {
		_, _ = of.Write(append([]byte(text), 0)) // a hash takes all
	}
	return e.Interval() / 10 / parts * time.Duration(of.Sum32()%parts) //nolint:mnd // a tenth
}

// readsFirst is the first thing that is fetched, and where from.
func (e *ExternalSecret) readsFirst() (store SecretStoreRef, entry string) {
	store = e.Spec.SecretStoreRef
	if len(e.Spec.DataFrom) > 0 {
		from := e.Spec.DataFrom[0]
		if s := from.SourceRef; s != nil && s.SecretStoreRef != nil {
			store = *s.SecretStoreRef
		}
		if from.Extract != nil {
			return store, from.Extract.Key
		}
	} else if len(e.Spec.Data) > 0 {
		from := e.Spec.Data[0]
		if s := from.SourceRef; s != nil && s.SecretStoreRef.Name != "" {
			store = s.SecretStoreRef
		}
		return store, from.RemoteRef.Key
	}
	return store, e.Namespace + "/" + e.Name // nobody else reads it
}
