package bounded

import (
	"testing"
	"time"
	"unsafe"
)

type inner struct {
	Name string `json:"name"`
	At   *time.Time
}

type outer struct {
	inner `json:",inline"`

	Many  []inner           `json:"many"`
	Flat  []int64           `json:"flat"`
	Raw   []byte            `json:"raw"`
	Words map[string]string `json:"words"`
	Any   any               `json:"any"`
	Next  *outer            `json:"next"`
	When  time.Time         `json:"when"`
	Two   [2]string         `json:"two"`
}

func TestWeigh(t *testing.T) {
	const ofInner, ofTime, ofOuter = int64(unsafe.Sizeof(inner{})), int64(unsafe.Sizeof(time.Time{})), int64(unsafe.Sizeof(outer{}))
	for name, tc := range map[string]struct {
		reason  string
		v       outer
		want    Weight
		path    string
		entries int
	}{
		"Nothing": {"what is not there weighs nothing", outer{When: time.Now()}, Weight{}, "", 0},
		"Texts":   {"strings and bytes are what is stored", outer{inner: inner{Name: "abc"}, Raw: []byte("de"), Two: [2]string{"f", "g"}}, Weight{Texts: 7}, "", 0},
		"Empty":   {"entries that say nothing weigh what they are", outer{Many: make([]inner, 1000)}, Weight{Parts: 1000 * ofInner}, "many", 1000},
		"Flat":    {"so do numbers", outer{Flat: make([]int64, 10)}, Weight{Parts: 80}, "flat", 10},
		"Leads":   {"and what they lead to", outer{Many: []inner{{At: new(time.Time)}}}, Weight{Parts: ofInner + ofTime}, "many[0].At", 0},
		"Map":     {"a map has keys and values", outer{Words: map[string]string{"ab": "c"}}, Weight{Texts: 3, Parts: 32 + perEntry}, "words", 1},
		"Any":     {"what a parser makes of any JSON", outer{Any: []any{"ab", map[string]any{}}}, Weight{Texts: 2, Parts: 24 + 2*16 + 16 + 8}, "any", 2},
		"Deep":    {"one that is in another is found", outer{Next: &outer{Next: &outer{Many: make([]inner, 500)}}}, Weight{Parts: 2*ofOuter + 500*ofInner}, "next.next.many", 500},
		"Entry":   {"as one in one entry of a list", outer{Any: []any{outer{}, outer{Flat: make([]int64, 100)}}}, Weight{Parts: 24 + 2*16 + 2*ofOuter + 800}, "any[1].flat", 100},
	} {
		t.Run(name, func(t *testing.T) {
			got := Weigh(tc.v)
			if got != tc.want {
				t.Errorf("%s: got %+v, want %+v", tc.reason, got, tc.want)
			}
			if path, entries := Heaviest(&tc.v); path != tc.path || entries != tc.entries {
				t.Errorf("%s: the heaviest are %d of %q", tc.reason, entries, path)
			}
		})
	}
}
