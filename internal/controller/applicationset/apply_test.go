package applicationset

import (
	"errors"
	"testing"
)

func TestJoined(t *testing.T) {
	a, b := errors.New("cannot create application a"), errors.New("cannot create application b")
	if one, other := joined([]error{a, b}).Error(), joined([]error{b, a}).Error(); one != other {
		t.Errorf("the order of failures shows: %q and %q", one, other)
	}
	if err := joined(nil); err != nil {
		t.Errorf("got %v of no failure", err)
	}
}
