package clusters

import (
	"testing"
	"time"
)

func TestSteady(t *testing.T) {
	now := time.Unix(1000, 0)
	s := NewSteady(func() time.Time { return now })
	all := []Health{{Name: "prod", Latency: 10, Reachable: true, Labels: map[string]string{"region": "eu"}}, {Name: "dev", Reachable: true}}
	first := s.Of(all)
	if len(first.All) != 2 || first.All[0].Name != "dev" || all[0].Name != "prod" {
		t.Fatalf("not by name: %+v", first)
	}
	all[0].Latency, all[0].InFlight = 20, 3
	if again := s.Of(all); again.Number != first.Number || again.All[1].Latency != 10 {
		t.Errorf("a measurement is followed at once: %+v", again)
	}
	now = now.Add(measuredFor)
	later := s.Of(all)
	if later.Number == first.Number || later.State != first.State || later.All[1].Latency != 20 {
		t.Errorf("a measurement is not followed: %+v", later)
	}
	now = now.Add(measuredFor)
	if same := s.Of(all); same.Number != later.Number {
		t.Errorf("nothing changed, and it is another moment: %+v", same)
	}
	// One after another: each goes on from what the one before has made.
	for _, step := range []struct {
		name   string
		change func()
	}{
		{"a label", func() { all[0].Labels = map[string]string{"region": "us"} }},
		{"its state", func() { all[1].Reachable, all[1].Problem = false, "connection refused" }},
		{"one less", func() { all = all[:1] }},
		{"another", func() { all[0].Name = "edge" }},
	} {
		before := s.Of(all)
		step.change()
		if after := s.Of(all); after.Number == before.Number || after.State == before.State || len(after.All) != len(all) {
			t.Errorf("%s is not followed at once: %+v", step.name, after)
		}
	}
}
