package gitops

import "testing"

func TestObjectName(t *testing.T) {
	for want, of := range map[string][3]string{
		"Deployment shop/web": {"Deployment", "shop", "web"},
		"Namespace shop":      {"Namespace", "", "shop"},
		"ClusterRole a/b":     {"ClusterRole", "", "a/b"},
	} {
		if got := ObjectName(of[0], of[1], of[2]); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
