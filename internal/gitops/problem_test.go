package gitops

import "testing"

func TestNearIsAskedWhereItIsShown(t *testing.T) {
	asked := false
	p := Problemf(NotFound, "there is no x").Do("name one")
	p.Near = func() string {
		asked = true
		return " of: a, b"
	}
	if p.Kind != NotFound || asked {
		t.Error("it is asked before the text is made")
	}
	if got, want := p.Error(), "there is no x; name one of: a, b"; got != want {
		t.Errorf("got %q; want %q", got, want)
	}
	if got, want := p.Do("make one").Error(), "there is no x; make one"; got != want {
		t.Errorf("what is near ends another advice: got %q; want %q", got, want)
	}
}
