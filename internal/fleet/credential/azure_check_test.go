package credential

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestAzureOfTheEngine has Secrets that choose what the engine sends as its
// identity, and to whom.
func TestAzureOfTheEngine(t *testing.T) {
	own := filepath.Join(t.TempDir(), "token")
	t.Setenv(azureTokenFile, own)
	t.Setenv(azureAuthority, "https://login.stack.test/")
	t.Setenv(azureTenant, "")
	const file, authority, tenant = "federated token file", "authority host", "tenant"
	for name, tc := range map[string]struct {
		reason  string
		command string
		args    string
		env     map[string]string
		want    string // in the error; none where it is empty
	}{
		"None":           {"workload identity needs no word of a Secret", "kubelogin", "get-token --login workloadidentity", nil, ""},
		"Own":            {"what the engine has may be repeated", "argocd-k8s-auth", "azure", map[string]string{azureTokenFile: own, azureAuthority: "https://login.stack.test/"}, ""},
		"Projected":      {"that of workload identity is for Entra ID alone", "kubelogin", "get-token --login workloadidentity --federated-token-file " + projected, nil, ""},
		"Government":     {"Microsoft's clouds are known", "argocd-k8s-auth", "azure", map[string]string{azureAuthority: "https://login.microsoftonline.us/"}, ""},
		"China":          {"by whatever name", "kubelogin", "get-token -l spn --authority-host https://login.chinacloudapi.cn", nil, ""},
		"File":           {"a file of the engine's machine is not a Secret's to send", "kubelogin", "get-token", map[string]string{azureTokenFile: "/var/run/secrets/kubernetes.io/serviceaccount/token"}, file},
		"File by flag":   {"nor by a flag", "kubelogin", "get-token --login workloadidentity --federated-token-file /etc/passwd", nil, file},
		"File, joined":   {"however that is written", "kubelogin", "get-token --login workloadidentity --federated-token-file=/etc/passwd", nil, file},
		"File, Argo":     {"by Argo CD's plugin neither", "argocd-k8s-auth", "azure", map[string]string{azureTokenFile: "/etc/passwd"}, file},
		"Authority":      {"a server of anybody's would get what is sent", "kubelogin", "get-token", map[string]string{azureAuthority: "https://evil.test"}, authority},
		"Authority flag": {"by a flag, too", "kubelogin", "get-token --authority-host=https://evil.test -l spn", nil, authority},
		"Begins alike":   {"a host is compared as a whole", "kubelogin", "get-token", map[string]string{azureAuthority: "https://login.microsoftonline.com.evil.test"}, authority},
		"User":           {"and not what stands before it", "kubelogin", "get-token", map[string]string{azureAuthority: "https://login.microsoftonline.com@evil.test"}, authority},
		"In the clear":   {"nobody listens on the way", "kubelogin", "get-token", map[string]string{azureAuthority: "http://login.microsoftonline.com"}, authority},
		"Path":           {"a path would be a tenant", "kubelogin", "get-token", map[string]string{azureAuthority: "https://login.microsoftonline.com/adfs"}, authority},
		"Tenant":         {"no authority is checked for adfs", "kubelogin", "get-token", map[string]string{azureTenant: "ADFS"}, tenant},
		"Tenant by flag": {"by its flag", "kubelogin", "get-token --tenant-id adfs", nil, tenant},
		"Tenant, short":  {"by its letter", "kubelogin", "get-token -t Adfs", nil, tenant},
		"Tenant, joined": {"without a space", "kubelogin", "get-token -tadfs", nil, tenant},
		"Around":         {"an unknown variable has the program run, with the same", "kubelogin", "get-token --pop-enabled", map[string]string{"ELSE": "x", azureTokenFile: "/etc/passwd"}, file},
		"By its path":    {"so has another name of it", "/opt/bin/kubelogin", "get-token", map[string]string{azureTokenFile: "/etc/passwd"}, file},
		"Other program":  {"what else an operator allows is the operator's", "my-plugin", "azure", map[string]string{azureTokenFile: "/etc/passwd"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			source, _, err := Native(tc.command, strings.Fields(tc.args), tc.env)
			if tc.want == "" {
				if err != nil {
					t.Fatalf("%s: %v", tc.reason, err)
				}
				if a, is := source.(Azure); is && a.TokenFile != own {
					t.Errorf("%s: sends %q", tc.reason, a.TokenFile)
				}
				return
			}
			if err == nil || source != nil || !strings.Contains(err.Error(), tc.want) || strings.Contains(err.Error(), "evil") {
				t.Errorf("%s: got %v, %v; want %q refused", tc.reason, source, err, tc.want)
			}
		})
	}
	t.Setenv(azureTokenFile, "")
	if _, _, err := Native("kubelogin", []string{"get-token"}, map[string]string{azureTokenFile: own}); err == nil {
		t.Error("a Secret chooses the file where the engine has none")
	}
}
