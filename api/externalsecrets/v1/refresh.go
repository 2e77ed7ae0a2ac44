package v1

import "time"

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
// change; the zero time for never.
func (e *ExternalSecret) NextRefresh() time.Time {
	if !e.Periodic() {
		return time.Time{}
	}
	return e.Status.RefreshTime.Add(e.Interval())
}
