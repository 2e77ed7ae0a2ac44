package credential

import (
	"strings"
	"testing"
)

// TestAzureOfTheEngineStaysThere has descriptions of clusters that would have a
// file of the engine, or its identity, sent to whoever wrote them.
func TestAzureOfTheEngineStaysThere(t *testing.T) {
	t.Setenv("AZURE_FEDERATED_TOKEN_FILE", "/identity/token")
	t.Setenv("AZURE_AUTHORITY_HOST", "https://login.stack.example.org/")
	for name, tc := range map[string]struct {
		args string
		env  map[string]string
		want string // part of the refusal; empty for none
	}{
		"Engine":     {"get-token --login workloadidentity", nil, ""},
		"SaidAnew":   {"get-token --login workloadidentity", map[string]string{"AZURE_FEDERATED_TOKEN_FILE": "/identity/token"}, ""},
		"Projected":  {"get-token --login workloadidentity", map[string]string{"AZURE_FEDERATED_TOKEN_FILE": projected}, ""},
		"Cloud":      {"get-token --login spn", map[string]string{"AZURE_AUTHORITY_HOST": "https://login.microsoftonline.us"}, ""},
		"File":       {"get-token --login workloadidentity", map[string]string{"AZURE_FEDERATED_TOKEN_FILE": "/etc/shadow"}, "federated token"},
		"Authority":  {"get-token --login workloadidentity", map[string]string{"AZURE_AUTHORITY_HOST": "https://evil.example.org"}, "none of Azure's public clouds"},
		"Near":       {"get-token --login spn", map[string]string{"AZURE_AUTHORITY_HOST": "https://login.microsoftonline.com.evil.example.org/"}, "none of Azure's public clouds"},
		"Plain":      {"get-token --login spn", map[string]string{"AZURE_AUTHORITY_HOST": "http://login.microsoftonline.com/"}, "none of Azure's public clouds"},
		"Federation": {"get-token --login spn -t ADFS", nil, "tenant adfs"},
	} {
		t.Run(name, func(t *testing.T) {
			got, ok := Native("kubelogin", strings.Fields(tc.args), tc.env)
			if !ok {
				t.Fatal("the program would be run")
			}
			if _, isAzure := got.(Azure); isAzure == (tc.want != "") {
				t.Fatalf("it is a %T", got)
			}
			if tc.want == "" {
				return
			}
			if _, err := got.Get(t.Context()); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%v; want %q", err, tc.want)
			}
		})
	}
}

func TestAzureFlagOfFile(t *testing.T) {
	t.Setenv("AZURE_FEDERATED_TOKEN_FILE", "")
	got, _ := Native("kubelogin", []string{"get-token", "--login", "workloadidentity", "--federated-token-file", "/etc/shadow", "--authority-host", "https://evil.example.org"}, nil)
	if _, err := got.Get(t.Context()); err == nil || !strings.Contains(err.Error(), "federated token") {
		t.Errorf("a flag names the file: %v", err)
	}
}
