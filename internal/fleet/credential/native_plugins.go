package credential

import (
	"maps"
	"os"
	"slices"
	"strings"
)

// Native returns what gets the credential of a well-known plugin without
// running it, so that an installation needs none of these programs. It is
// false when a flag or variable asks for something that only the program does,
// and an error when neither may do it.
func Native(command string, args []string, env map[string]string) (Source, bool, error) {
	if err := checkAzure(command, args, env); err != nil {
		return nil, false, err
	}
	source, ok := native(command, args, env)
	return source, ok, nil
}

func native(command string, args []string, env map[string]string) (Source, bool) {
	if len(args) == 0 && command != "gke-gcloud-auth-plugin" {
		return nil, false
	}
	switch command {
	case "argocd-k8s-auth":
		return nativeArgo(args[0], args[1:], env)
	case "aws":
		return nativeEKS(args, env)
	case "aws-iam-authenticator":
		if args[0] == "token" {
			return nativeAWS(args[1:], env, map[string]string{"cluster-id": "cluster-name", "i": "cluster-name", "role": "role-arn", "r": "role-arn"})
		}
	case "gke-gcloud-auth-plugin":
		return Google{}, len(args) == 0 && len(env) == 0
	case "kubelogin":
		if args[0] == "get-token" {
			return nativeAzure(args[1:], env)
		}
	}
	return nil, false
}

// nativeArgo is Argo CD's own plugin, which has one command a cloud.
func nativeArgo(cloud string, args []string, env map[string]string) (Source, bool) {
	switch cloud {
	case "aws":
		return nativeAWS(args, env, nil)
	case "gcp":
		return Google{}, len(args) == 0 && len(env) == 0
	case "azure":
		if len(args) > 0 {
			return nil, false
		}
		return azureOf(nil, env, AzureWorkload)
	}
	return nil, false
}

// nativeEKS is `aws eks get-token`, with flags before and after.
func nativeEKS(args []string, env map[string]string) (Source, bool) {
	at := slices.Index(args, "eks")
	if at < 0 || at+1 >= len(args) || args[at+1] != "get-token" {
		return nil, false
	}
	return nativeAWS(slices.Concat(args[:at], args[at+2:]), env, map[string]string{"output": ""})
}

// nativeAWS reads flags; names has those that are called otherwise, and those
// that say nothing about the token.
func nativeAWS(args []string, env, names map[string]string) (Source, bool) {
	flags, ok := flagsOf(args)
	if !ok {
		return nil, false
	}
	a := AWS{}
	fields := map[string]*string{"cluster-name": &a.Cluster, "role-arn": &a.Role, "profile": &a.Profile, "region": &a.Region}
	for name, value := range flags {
		if other, renamed := names[name]; renamed {
			name = other
		}
		if name == "" {
			continue
		}
		if fields[name] == nil {
			return nil, false
		}
		*fields[name] = value
	}
	variables := map[string]*string{
		"AWS_PROFILE": &a.Profile, "AWS_REGION": &a.Region, "AWS_DEFAULT_REGION": &a.Region,
		"AWS_ACCESS_KEY_ID": &a.AccessKey, "AWS_SECRET_ACCESS_KEY": &a.SecretKey, "AWS_SESSION_TOKEN": &a.Session,
	}
	for _, name := range slices.Sorted(maps.Keys(env)) {
		field := variables[name]
		if name == "AWS_STS_REGIONAL_ENDPOINTS" {
			continue // this SDK always asks the region's own service
		}
		if field == nil {
			return nil, false
		}
		if *field == "" {
			*field = env[name]
		}
	}
	return a, a.Cluster != ""
}

// nativeAzure is `kubelogin get-token`.
func nativeAzure(args []string, env map[string]string) (Source, bool) {
	flags, ok := flagsOf(args)
	if !ok {
		return nil, false
	}
	return azureOf(flags, env, "devicecode")
}

// azureOf reads kubelogin's flags and variables; a variable counts for more
// than a flag, as it does there.
func azureOf(flags, env map[string]string, login string) (Source, bool) {
	a := Azure{Login: login}
	short := map[string]string{"l": "login", "t": "tenant-id", "e": "environment"}
	fields := map[string]*string{
		"login": &a.Login, "server-id": &a.Server, "client-id": &a.Client, "client-secret": &a.Secret, "tenant-id": &a.Tenant,
		"environment": &a.Environment, "federated-token-file": &a.TokenFile, "authority-host": &a.Authority, "identity-resource-id": &a.IdentityOfVM,
	}
	for name, value := range flags {
		if long, ok := short[name]; ok {
			name = long
		}
		if name == "token-cache-dir" || name == "timeout" {
			continue
		}
		if fields[name] == nil {
			return nil, false
		}
		*fields[name] = value
	}
	for name := range env {
		if !slices.ContainsFunc(azureVariables(&a), func(v variable) bool { return v.name == name }) {
			return nil, false
		}
	}
	for _, v := range azureVariables(&a) {
		if value, ok := env[v.name]; ok {
			*v.field = value
		} else if value := os.Getenv(v.name); value != "" {
			*v.field = value
		}
	}
	a.Login = strings.ToLower(a.Login)
	return a, slices.Contains([]string{AzureWorkload, AzureSecret, AzureManaged}, a.Login)
}

type variable struct {
	name  string
	field *string
}

// azureVariables are read in this order, so that the later one counts.
func azureVariables(a *Azure) []variable {
	return []variable{
		{"AAD_SERVICE_PRINCIPAL_CLIENT_ID", &a.Client},
		{"AZURE_CLIENT_ID", &a.Client},
		{"AAD_SERVICE_PRINCIPAL_CLIENT_SECRET", &a.Secret},
		{"AZURE_CLIENT_SECRET", &a.Secret},
		{azureTenant, &a.Tenant},
		{"AAD_LOGIN_METHOD", &a.Login},
		{azureTokenFile, &a.TokenFile},
		{azureAuthority, &a.Authority},
		{"AAD_SERVER_APPLICATION_ID", &a.Server},
		{"AAD_ENVIRONMENT_NAME", &a.Environment},
	}
}

// flagsOf reads --name value, --name=value and -n value.
func flagsOf(args []string) (map[string]string, bool) {
	out := map[string]string{}
	for i := 0; i < len(args); i++ {
		name, value, joined := strings.Cut(args[i], "=")
		if !strings.HasPrefix(name, "-") || strings.Trim(name, "-") == "" {
			return nil, false
		}
		if !joined {
			i++
			if i >= len(args) || strings.HasPrefix(args[i], "-") {
				return nil, false // a switch: none is known
			}
			value = args[i]
		}
		out[strings.TrimLeft(name, "-")] = value
	}
	return out, true
}
