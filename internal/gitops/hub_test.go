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

// TestAnswers has clusters with the name of the hub.
func TestAnswers(t *testing.T) {
	cases := map[string]struct {
		reason   string
		cluster  Cluster
		name     string
		answers  bool
		misnamed bool
	}{
		"Name":  {"a cluster has its name", Cluster{Name: "prod", Server: "https://prod"}, "prod", true, false},
		"Other": {"and no other one", Cluster{Name: "prod", Server: "https://prod"}, HubName, false, false},
		"Hub":   {"the hub has its own", Cluster{Name: HubName, Server: HubServer}, HubName, true, false},
		"Long":  {"by whatever address it is reached from inside", Cluster{Name: HubName, Server: "https://kubernetes.default.svc.cluster.local"}, HubName, true, false},
		"Poses": {"which no other cluster takes", Cluster{Name: HubName, Server: "https://prod"}, HubName, false, true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if answers, misnamed := tc.cluster.Answers(tc.name), tc.cluster.Misnamed(); answers != tc.answers || misnamed != tc.misnamed {
				t.Errorf("%s: answers %v, misnamed %v", tc.reason, answers, misnamed)
			}
		})
	}
}
