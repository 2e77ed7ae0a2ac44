package reach

import (
	"context"
	"testing"
)

// Who asks of many things has a bound of questions, and is told whether it was too small; what
// remembers costs nothing, and who has no bound asks what they like.
func TestQuestionsAreBounded(t *testing.T) {
	ctx, bound := Bounded(t.Context(), 2)
	inner := Patiently(ctx)
	for n, want := range []bool{true, true, false, false} {
		if got := MayAsk(inner); got != want || bound.Short() == want {
			t.Errorf("question %d may be asked: %t, and there are more: %t", n, got, bound.Short())
		}
	}
	if !MayAsk(t.Context()) || Patient(ctx) || !Patient(inner) {
		t.Error("others have the bound, or the patience, of one request")
	}
	none, bound := Bounded(context.Background(), 0)
	if bound.Short() || MayAsk(none) || !bound.Short() {
		t.Error("a bound of none lets one be asked, or was short before")
	}
}
