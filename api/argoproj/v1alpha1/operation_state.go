package v1alpha1

// All of these may be asked of the state that an Application without a sync
// has: nil.

// Runs reports whether the operation runs, waits for its next try, or is being ended.
func (s *OperationState) Runs() bool { return s != nil && !s.Phase.Completed() }

// Proceeds reports whether the operation runs or waits for its next try, and
// nobody has asked for its end.
func (s *OperationState) Proceeds() bool { return s != nil && s.Phase == OperationRunning }

// Terminating reports whether somebody asked for the end of the operation. The
// engine reads that of the status, and never writes it.
func (s *OperationState) Terminating() bool { return s != nil && s.Phase == OperationTerminating }

// BetweenTries reports whether a try of the operation has failed and another one follows.
func (s *OperationState) BetweenTries() bool { return s.Runs() && s.FinishedAt != nil }

// Ended reports whether the operation is over, well or not.
func (s *OperationState) Ended() bool { return s != nil && s.Phase.Completed() }

// Succeeded reports whether the operation is over, and well.
func (s *OperationState) Succeeded() bool { return s != nil && s.Phase.Successful() }

// Failed reports whether the operation is over, and not well: it failed, or could
// not even be tried.
func (s *OperationState) Failed() bool { return s.Ended() && !s.Succeeded() }

// HookRuns reports whether the result is that of a hook that runs.
func (r *ResourceResult) HookRuns() bool {
	return r.HookType != "" && r.HookPhase == OperationRunning
}
