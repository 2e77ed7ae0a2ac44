package credential

import (
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// azureAuthorities are where Microsoft's own clouds log in: those that its
// library trusts without asking, but for Germany's, which has ended.
var azureAuthorities = []string{
	"login.microsoftonline.com", "login.microsoft.com", "login.windows.net", "sts.windows.net",
	"login.microsoftonline.us", "login-us.microsoftonline.com", "login.usgovcloudapi.net",
	"login.chinacloudapi.cn", "login.partner.microsoftonline.cn",
	"login.sovcloud-identity.fr", "login.sovcloud-identity.de", "login.sovcloud-identity.sg",
}

// projected is where workload identity puts the token that is for Entra ID
// alone; cluster Secrets of Argo CD name it.
const projected = "/var/run/secrets/azure/tokens/azure-identity-token"

// What says which file goes where; a Secret may not choose either.
const (
	azureTokenFile = "AZURE_FEDERATED_TOKEN_FILE"
	azureAuthority = "AZURE_AUTHORITY_HOST"
	azureTenant    = "AZURE_TENANT_ID"
)

// checkAzure refuses what would send a file of the engine, or the identity that
// it proves, to a server that a Secret names. It holds for a program that is run
// as well: an unknown flag beside these is no way around.
func checkAzure(command string, args []string, env map[string]string) error {
	name := filepath.Base(command)
	if name != "kubelogin" && (name != "argocd-k8s-auth" || !slices.Contains(args, "azure")) {
		return nil
	}
	for _, said := range append(azureFlags(args), azureWord{azureTokenFile, env[azureTokenFile]}, azureWord{azureAuthority, env[azureAuthority]}, azureWord{azureTenant, env[azureTenant]}) {
		if err := said.check(); err != nil {
			return err
		}
	}
	return nil
}

// azureWord is what a Secret says for a variable, by itself or by a flag.
type azureWord struct{ variable, value string }

func (w azureWord) check() error {
	own := os.Getenv(w.variable)
	switch {
	case w.value == "" || w.value == own || w.variable == azureTokenFile && w.value == projected:
		return nil
	case w.variable == azureTokenFile:
		return errors.New("its federated token file is not that of the engine: leave out " + azureTokenFile + " and --federated-token-file, and set the variable for the engine, as Azure's workload identity does")
	case w.variable == azureAuthority && !publicAuthority(w.value):
		return errors.New("its authority host is none of a public cloud of Azure: leave out " + azureAuthority + " and --authority-host, or set the variable for the engine")
	case w.variable == azureTenant && strings.EqualFold(w.value, "adfs"):
		return errors.New("its tenant is adfs, for which no authority is checked: name a tenant of Entra ID in " + azureTenant + " or --tenant-id")
	}
	return nil
}

// publicAuthority takes a bare https address alone: a path would be another
// tenant's, or adfs.
func publicAuthority(text string) bool {
	u, err := url.Parse(text)
	if err != nil {
		return false
	}
	bare := url.URL{Scheme: "https", Host: u.Host}
	return slices.Contains(azureAuthorities, strings.ToLower(u.Host)) && strings.TrimSuffix(u.String(), "/") == bare.String()
}

// azureFlags reads each argument as the flag that it may be, wherever it stands.
func azureFlags(args []string) []azureWord {
	variables := map[string]string{"federated-token-file": azureTokenFile, "authority-host": azureAuthority, "tenant-id": azureTenant, "t": azureTenant}
	var out []azureWord
	for i, arg := range args {
		if !strings.HasPrefix(arg, "-") {
			continue
		}
		name, value, joined := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		if !joined && i+1 < len(args) {
			value = args[i+1]
		}
		if variable := variables[name]; variable != "" {
			out = append(out, azureWord{variable, value})
		}
		if tenant, short := strings.CutPrefix(arg, "-t"); short {
			out = append(out, azureWord{azureTenant, tenant}) // as in -tTENANT
		}
	}
	return out
}
