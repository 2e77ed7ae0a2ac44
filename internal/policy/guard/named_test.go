package guard

import (
	"fmt"
	"testing"
)

func TestWithin(t *testing.T) {
	var all []string
	for i := range mostNamed + 1 {
		all = append(all, fmt.Sprint("/ConfigMap:shop/", i))
	}
	approved := Named(all[:3])
	cases := map[string]struct {
		reason, named string
		names         []string
		want          bool
	}{
		"All":     {"the list itself", approved, all[:3], true},
		"Part":    {"some went already", approved, all[1:2], true},
		"Nothing": {"all of them went", approved, nil, true},
		"More":    {"another one came", approved, all[:4], false},
		"Other":   {"one of others", approved, all[3:4], false},
		"Number":  {"a number names nothing", "9999", all[:1], false},
		"Empty":   {"nobody approved anything", "", nil, false},
		"TooMany": {"so many are approved anew", Named(all), all[:1], false},
		"Garbage": {"no text of ours", "\x00", all[:1], false},
	}
	for label, c := range cases {
		t.Run(label, func(t *testing.T) {
			if got := Within(c.named, c.names); got != c.want {
				t.Errorf("%s: got %t", c.reason, got)
			}
		})
	}
}
