package environ

import "testing"

func TestExpand(t *testing.T) {
	env := Env{"ARGOCD_APP_NAME": Text("web"), "EMPTY": Text("")}
	cases := map[string]struct{ reason, in, want string }{
		"Plain":   {"text without a dollar is left alone", "a:b", "a:b"},
		"Both":    {"both spellings are replaced", "$ARGOCD_APP_NAME/${ARGOCD_APP_NAME}", "web/web"},
		"Dollar":  {"two dollars are one", "a$$b", "a$b"},
		"Unknown": {"an unknown variable is empty, also one of the process", "[$PATH][$NOPE]", "[][]"},
		"Partial": {"the longest name counts", "$ARGOCD_APP_NAMES", ""},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := env.Expand(tc.in); got != tc.want {
				t.Errorf("%s: Expand(%q) = %q, want %q", tc.reason, tc.in, got, tc.want)
			}
		})
	}
}
