package show

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/causeway-gitops/causeway/internal/preview/forecast"
)

func FuzzForms(f *testing.F) {
	for _, seed := range []*forecast.Forecast{example(), empty(), hostile(), {}} {
		text, err := json.Marshal(seed)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text), "title`\n|@me", uint16(3000), uint8(60))
	}
	f.Fuzz(func(t *testing.T, text, word string, limit uint16, width uint8) {
		var doc forecast.Forecast
		if json.Unmarshal([]byte(text), &doc) != nil {
			return
		}
		for i := range doc.Groups {
			doc.Groups[i].Title += word
			doc.Groups[i].Images = append(doc.Groups[i].Images, forecast.Image{Old: word, New: word + "x"})
			doc.Groups[i].Objects = append(doc.Groups[i].Objects, forecast.Object{Change: forecast.Changed, Kind: word, Fields: []forecast.Field{{Path: word, Old: word, New: word + "\n"}}})
		}
		o := Options{Width: int(width), Limit: int(limit)}
		for name, write := range forms {
			first, second := render(t, write, &doc, o), render(t, write, &doc, o)
			if first != second {
				t.Errorf("%s differs from one time to the other", name)
			}
		}
		var b bytes.Buffer
		if err := Markdown(&b, &doc, o); err != nil {
			t.Fatal(err)
		}
		if limit > 0 && b.Len() > max(int(limit), leastLimit) {
			t.Errorf("%d bytes, the limit is %d", b.Len(), limit)
		}
		if wrong := balanced(b.String()); wrong != "" {
			t.Errorf("%s\n%s", wrong, b.String())
		}
	})
}
