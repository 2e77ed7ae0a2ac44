package target

import "testing"

func TestOriginsAreReadAgain(t *testing.T) {
	for _, text := range []string{"", "a.yaml", "web/a.yaml:3", "web/10:30.yaml", "web/a:b.yaml:12", "web/a.yaml:b"} {
		if got := OriginOf(text).String(); got != text {
			t.Errorf("%q is %q", text, got)
		}
	}
	if got := OriginOf("web/a:b.yaml:12"); got.Line != 12 {
		t.Errorf("the line is lost: %+v", got)
	}
}
