package address

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/causeway-gitops/causeway/internal/kms/agefile"
)

func TestOpen(t *testing.T) {
	t.Setenv("AWS_REGION", "")
	t.Setenv("AWS_DEFAULT_REGION", "")
	t.Setenv("AWS_CONFIG_FILE", "/dev/null")
	key := filepath.Join(t.TempDir(), "key")
	if _, err := agefile.Add(key, time.Now()); err != nil {
		t.Fatal(err)
	}
	const secret = "hvs.planted-token"
	tests := map[string]struct{ reason, address, want string }{
		"Age":            {"a file", "age:" + key, ""},
		"AgeSlashes":     {"as other URLs of files", "age://" + key, ""},
		"AgeElsewhere":   {"who starts it may be in any folder", "age:keys/kms.key", "by its whole path"},
		"AgeHost":        {"two slashes are easily one too many", "age://etc/kms.key", "by its whole path"},
		"AgeNothing":     {"a file that is not there", "age:/nowhere/kms.key", "cannot read the key file"},
		"Vault":          {"a token", "vault://vault.example.com:8200/transit/causeway?token-file=/t", ""},
		"VaultMount":     {"mounts may have several parts", "vault://vault.example.com/teams/a/transit/causeway?kubernetes-role=kms", ""},
		"VaultClear":     {"for trials on one machine", "vault+http://127.0.0.1:8200/transit/causeway?approle=r&secret-id-file=/s", ""},
		"VaultNobody":    {"a key is for somebody", "vault://vault.example.com/transit/causeway", "who asks in one of three ways"},
		"VaultBoth":      {"which one counts is not to be guessed", "vault://vault.example.com/transit/causeway?token-file=/t&kubernetes-role=kms", "in one of three ways"},
		"VaultHalf":      {"an id alone does not log in", "vault://vault.example.com/transit/causeway?approle=r", "belong together"},
		"VaultNoKey":     {"an engine has many", "vault://vault.example.com/transit?token-file=/t", "a key in it"},
		"VaultNoServer":  {"it is the first thing after the slashes", "vault:///transit/causeway?token-file=/t", "no address of a server"},
		"VaultAuthPath":  {"a token logs in nowhere", "vault://vault.example.com/transit/causeway?token-file=/t&auth-path=k8s", "leave it out"},
		"VaultJWT":       {"a token without a role", "vault://vault.example.com/transit/causeway?token-file=/t&jwt-file=/j", "belongs to kubernetes-role"},
		"VaultAuthority": {"it is read at the start", "vault://vault.example.com/transit/causeway?token-file=/t&ca-file=/nowhere", "cannot read ca-file"},
		"AWS":            {"an alias", "aws:alias/causeway?region=eu-central-1", ""},
		"AWSRegion":      {"an ARN names the region", "aws:arn:aws:kms:eu-central-1:111122223333:key/1234abcd", ""},
		"AWSNowhere":     {"keys are of regions", "aws:alias/causeway", "cannot tell the region"},
		"AWSSlashes":     {"slashes would make the name a host", "aws://alias/causeway?region=eu-central-1", "without slashes"},
		"Typo":           {"what is misspelt is not left out", "vault://vault.example.com/transit/causeway?tokenfile=/t", `no parameter "tokenfile"`},
		"Twice":          {"which one counts is not to be guessed", "aws:alias/causeway?region=a&region=b", "there twice"},
		"GCP":            {"a key by its name", "gcp:projects/p/locations/l/keyRings/r/cryptoKeys/k", ""},
		"GCPVersion":     {"the primary version encrypts", "gcp:projects/p/locations/l/keyRings/r/cryptoKeys/k/cryptoKeyVersions/1", "name the key as projects/"},
		"GCPSlashes":     {"slashes would make the first part a host", "gcp://projects/p/locations/l/keyRings/r/cryptoKeys/k", "name the key as projects/"},
		"Azure":          {"a vault and a key", "azure://causeway.vault.azure.net/kms", ""},
		"AzureVersion":   {"the latest version encrypts", "azure://causeway.vault.azure.net/kms/1234", "name a vault and a key in it"},
		"AzureNoVault":   {"keys are of vaults", "azure:kms", "name a vault and a key in it"},
		"Unknown":        {"there are five", "ibm:key", "none of age:, vault://"},
		"Path":           {"it looks like a file", "/etc/causeway/kms.key", "none of age:, vault://"},
		"Password":       {"others see what processes are started with", "vault://kms:" + secret + "@vault.example.com/transit/causeway", "credentials do not belong"},
		"Token":          {"others see what processes are started with", "vault://vault.example.com/transit/causeway?token=" + secret, "no parameter"},
		"NoURL":          {"what cannot be read is not repeated", "vault://kms:" + secret + "@[/", "no URL"},
		"Fragment":       {"it would be cut off without a word", "age:" + key + "#2", "#"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			k, err := Open(t.Context(), tc.address)
			switch {
			case tc.want == "" && (err != nil || k == nil):
				t.Errorf("%s: %v", tc.reason, err)
			case tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)):
				t.Errorf("%s: got %v, want %q", tc.reason, err, tc.want)
			case err != nil && strings.Contains(err.Error(), secret):
				t.Errorf("the error tells the secret: %v", err)
			}
		})
	}
}
