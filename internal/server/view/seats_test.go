package view

import "testing"

// Rights are remembered by seats: who sits on one has to have the names and the project of
// whoever they were told for.
func TestSeatsAreOfOneProject(t *testing.T) {
	i := NewIndex(began)
	put := func(name, project, health string) Seat {
		i.Put(row(name, project, "c", "Synced", health))
		return i.Get(Key{"argocd", name}).Seat
	}
	web := put("web", "shop", "Healthy")
	if again := put("web", "shop", "Degraded"); again != web {
		t.Errorf("a change of its health moves it from %v to %v", web, again)
	}
	moved := put("web", "bank", "Degraded")
	if moved == web {
		t.Error("in another project it has the rights of the one before")
	}
	if dns := put("dns", "shop", "Healthy"); dns == web || dns == moved {
		t.Errorf("two have the seat %v", dns)
	}
	i.Drop(Key{"argocd", "web"})
	if anew := put("web", "bank", "Healthy"); anew == moved || anew.Number > 1 {
		t.Errorf("made again it has the seat %v, after %v", anew, moved)
	}
	i.Drop(Key{"argocd", "none"})
	if i.Get(Key{"argocd", "none"}) != nil || i.Get(Key{"other", "dns"}) != nil {
		t.Error("there is one that nobody put")
	}
}

// A number comes again in another turn only as long as turns can be told apart.
func TestSeatsHaveTurns(t *testing.T) {
	var s seats
	first := s.take()
	s.leave(first)
	if second := s.take(); second != (Seat{Number: first.Number, Turn: 1}) {
		t.Errorf("the second turn is %v", second)
	}
	s.leave(Seat{Number: 0, Turn: Turns - 1})
	if next := s.take(); next != (Seat{Number: 1}) {
		t.Errorf("after its last turn a number is given again: %v", next)
	}
}
