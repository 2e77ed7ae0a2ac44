package gitops

import "testing"

func TestPublicAddress(t *testing.T) {
	cases := map[string]struct{ reason, raw, want string }{
		"Plain":      {"nothing is secret", "https://GitHub.com/o/r.git/", "https://GitHub.com/o/r.git/"},
		"SSH":        {"a user of ssh is no secret", "ssh://git@host:22/o/r", "ssh://git@host:22/o/r"},
		"SCP":        {"in the short form neither", "git@github.com:o/r.git", "git@github.com:o/r.git"},
		"SCPIPv6":    {"of an IPv6 address", "git@[2001:db8::1]:o/r", "git@[2001:db8::1]:o/r"},
		"Folder":     {"a folder may be called so", "/srv/a@b?c", "/srv/a@b?c"},
		"Registry":   {"a name without a scheme", "registry.example.com:5000/charts", "registry.example.com:5000/charts"},
		"Digest":     {"with a digest", "registry.example.com/x@sha256:0a", "registry.example.com/x@sha256:0a"},
		"Relative":   {"what an index names", "charts/web-1.0.tgz", "charts/web-1.0.tgz"},
		"Password":   {"who asks is left out", "https://me:hunter2@host/x", "https://host/x"},
		"SSHSecret":  {"but for the user of ssh", "ssh://me:hunter2@host/x", "ssh://me@host/x"},
		"Token":      {"a user may be a token", "https://hunter2@github.com/o/r", "https://github.com/o/r"},
		"TokenFirst": {"also before a password that is none", "https://hunter2:x-oauth-basic@github.com/o/r", "https://github.com/o/r"},
		"Query":      {"so may be a query", "https://host/x?private_token=hunter2", "https://host/x"},
		"Fragment":   {"and what no server is sent", "https://host/x#hunter2", "https://host/x"},
		"OCI":        {"of registries, too", "oci://hunter2@host/x?t=hunter2", "oci://host/x"},
		"File":       {"wherever it stands", "file://me:hunter2@localhost/x?hunter2", "file://localhost/x"},
		"Escape":     {"what cannot be read", "https://me:hunter2@host/%zz?t=hunter2", "…@host/%zz"},
		"EscapeOnly": {"without who asks", "https://host/%zz?t=hunter2", "https://host/%zz"},
		"Slash":      {"a password ends anywhere", "https://me:hun/ter2@host/x", "…@host/x"},
		"Scheme":     {"of whatever scheme", "foo://hunter2@host", "foo://host"},
		"NoScheme":   {"or without", "hunter2@github.com/o/r", "…@github.com/o/r"},
		"NoSchemeBy": {"with a password", "me:hunter2@github.com/o/r", "…@github.com/o/r"},
		"NoQuery":    {"a name with a query", "host/x?t=hunter2", "host/x"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := PublicAddress(tc.raw); got != tc.want {
				t.Errorf("%s: got %q, want %q", tc.reason, got, tc.want)
			}
			if again := PublicAddress(PublicAddress(tc.raw)); again != tc.want {
				t.Errorf("%s: shown again it is %q", tc.reason, again)
			}
		})
	}
}
