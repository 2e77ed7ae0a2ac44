package gitops

import "testing"

// TestReachesHub has the names of the hub inside of it.
func TestReachesHub(t *testing.T) {
	for server, want := range map[string]bool{
		HubServer: true, "https://kubernetes": true, "https://kubernetes.default": true, "https://kubernetes.default.svc.cluster.local": true,
		"https://Kubernetes.Default.SVC.:0443/": true, "http://kubernetes.default.svc:8080/x": true, "https://me@kubernetes.default.svc": true,
		"https://kubernetes.example.com": false, "https://kubernetes.default.example.com": false, "https://prod.example.com": false, "": false, "https://[": false,
	} {
		if got := ReachesHub(server); got != want {
			t.Errorf("%q reaches the hub: %v", server, got)
		}
		if IsHub(server) && !ReachesHub(server) {
			t.Errorf("%q is the hub, and does not reach it", server)
		}
	}
}
