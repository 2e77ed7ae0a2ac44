// Package webhook is a provider that asks any HTTP server.
package webhook
