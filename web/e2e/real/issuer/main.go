// Command issuer runs an OpenID Connect issuer with people whom tests sign in:
// ann reads what the project billing has, bob works on storefront. It prints
// one line of JSON, with its address and certificate.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/causeway-gitops/causeway/internal/auth/oidc/oidctest"
)

func main() {
	callback := flag.String("callback", "", "address that people come back to")
	flag.Parse()
	if err := run(*callback); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(callback string) error {
	s, err := oidctest.Start([]oidctest.User{
		{Subject: "1", Name: "ann", Email: "ann@example.com", Claims: map[string]any{"groups": []string{"billing-readers"}}},
		{Subject: "2", Name: "bob", Email: "bob@example.com", Claims: map[string]any{"groups": []string{"storefront-writers"}}},
	}, callback)
	if err != nil {
		return err
	}
	defer s.Close()
	if err := json.NewEncoder(os.Stdout).Encode(map[string]string{
		"issuer": s.URL, "ca": s.CA(), "clientID": oidctest.ClientID, "clientSecret": oidctest.ClientSecret,
	}); err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	<-ctx.Done()
	return nil
}
