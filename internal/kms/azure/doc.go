// Package azure encrypts with a key of Azure Key Vault, or of a managed HSM.
package azure
