package access

// Refusal is the cause of a Problem where a server wants to know who asks, or
// does not let in who does.
type Refusal struct{ Err error }

// Error is the text of what the server or its client said.
func (r *Refusal) Error() string { return r.Err.Error() }

// Unwrap returns what the server or its client said.
func (r *Refusal) Unwrap() error { return r.Err }
