package logins

import (
	"context"
	"os"
	"time"

	"helm.sh/helm/v4/pkg/helmpath"
	"oras.land/oras-go/v2/registry/remote/auth"
	"oras.land/oras-go/v2/registry/remote/credentials"
)

// patience bounds the question to a helper of Docker's.
const patience = 30 * time.Second

// Registry returns what Docker has for a registry, its helpers included, or else Helm.
func (u *User) Registry(ctx context.Context, host string) auth.Credential {
	if !u.askingDocker.begin(ctx) {
		return auth.EmptyCredential
	}
	defer u.askingDocker.end()
	if known, ok := u.registries[host]; ok {
		return known
	}
	asking, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	answer, err := credentials.Credential(u.store())(asking, host)
	switch {
	case ctx.Err() != nil:
		return auth.EmptyCredential // whoever comes next asks again
	case err != nil:
		// What a helper says may hold what it was asked for.
		u.log.WarnContext(ctx, "Docker's credential helper does not answer", "host", host)
		answer = auth.EmptyCredential
	}
	u.registries[host] = answer
	return answer
}

// openStore opens Docker's file, and Helm's own behind it.
func (u *User) openStore() credentials.Store {
	docker, err := credentials.NewStoreFromDocker(credentials.StoreOptions{})
	if err != nil {
		u.log.Warn("cannot read Docker's logins", "error", err)
		docker = nil
	}
	name := os.Getenv("HELM_REGISTRY_CONFIG")
	if name == "" {
		name = helmpath.ConfigPath("registry/config.json")
	}
	helm, err := credentials.NewStore(name, credentials.StoreOptions{})
	if err != nil {
		u.log.Warn("cannot read Helm's logins of registries", "error", err)
		helm = nil
	}
	switch {
	case docker == nil && helm == nil:
		return credentials.NewMemoryStore()
	case docker == nil:
		return helm
	case helm == nil:
		return docker
	}
	return credentials.NewStoreWithFallbacks(docker, helm)
}
