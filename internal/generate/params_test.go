package generate

import "testing"

func TestParamsInMessages(t *testing.T) {
	cases := map[string]struct {
		reason string
		params Params
		want   string
	}{
		"sorted":  {"the same set is always told the same way", Params{"b": 2, "a": "x"}, `a="x", b=2`},
		"flat":    {"metadata of a cluster may hold what is not for everyone", Params{"name": "dev", "metadata.annotations.token": "t"}, `name="dev"`},
		"nested":  {"in both template modes", Params{"name": "dev", "metadata": map[string]any{"annotations": map[string]any{"token": "t"}}}, `name="dev"`},
		"similar": {"a parameter of one's own", Params{"metadatabase": "db"}, `metadatabase="db"`},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if got := c.params.String(); got != c.want {
				t.Errorf("%s: got %s, want %s", c.reason, got, c.want)
			}
		})
	}
}
