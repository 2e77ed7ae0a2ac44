package markedcomment

import (
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/host/hosttest"
)

const marker = hosttest.Marker

func TestBody(t *testing.T) {
	cases := map[string]struct {
		reason, marker, markdown string
		limit                    int
		want, fails              string
	}{
		"added":     {"the marker comes first", marker, "text", 0, marker + "\ntext", ""},
		"there":     {"one marker is enough", marker, " " + marker + "\n# Title", 0, " " + marker + "\n# Title", ""},
		"below":     {"it has to come first", marker, "# Title\n" + marker, 0, marker + "\n# Title\n" + marker, ""},
		"quoted":    {"a quoted marker is none", marker, "> " + marker, 0, marker + "\n> " + marker, ""},
		"fits":      {"the limit counts characters, not bytes", marker, "ééé", len(marker) + 4, marker + "\nééé", ""},
		"long":      {"one too many", marker, "éééé", len(marker) + 4, "", "has 30 characters, and the host takes 29"},
		"visible":   {"readers would see it", "causeway", "text", 0, "", "no HTML comment"},
		"two lines": {"it would not be found again", "<!-- a\nb -->", "text", 0, "", "no HTML comment"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := Body(c.marker, c.markdown, c.limit)
			if c.fails != "" {
				if err == nil || !strings.Contains(err.Error(), c.fails) {
					t.Errorf("%s: got %v, want %q", c.reason, err, c.fails)
				}
				return
			}
			if err != nil || got != c.want {
				t.Errorf("%s: got %q, %v; want %q", c.reason, got, err, c.want)
			}
		})
	}
}

// TestInAnotherComment: what a comment shows of a change is not its name.
func TestInAnotherComment(t *testing.T) {
	own, other := Marker("preview"), Marker("lint")
	for reason, text := range map[string]string{
		"a line of a diff":    "```diff\n- a: 1\n+ a: 2\n  " + other + "\n```",
		"a line of a file":    "text\n" + other,
		"a name in the title": "# " + other,
	} {
		body, err := Body(own, text, 0)
		if err != nil || !In(body, own) || In(body, other) {
			t.Errorf("%s: %q is found by %s: %v, by %s: %v; %v", reason, body, own, In(body, own), other, In(body, other), err)
		}
	}
}

func FuzzBody(f *testing.F) {
	f.Add("text")
	f.Add("> " + marker + "\r\n" + marker)
	f.Fuzz(func(t *testing.T, markdown string) {
		got, err := Body(marker, markdown, 0)
		if err != nil || !In(got, marker) {
			t.Errorf("%q is not found again: %v", got, err)
		}
	})
}
