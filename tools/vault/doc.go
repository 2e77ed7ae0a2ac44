// Command causeway-vault is a HashiCorp Vault for trials: the server as its module has
// it, in memory, unsealed, with a token that everybody knows. The examples and tests
// read secrets from it; it is no part of the product, and nothing to keep secrets in.
//
//	causeway-vault [--listen ADDRESS] [--setup FILE] [--kubeconfig FILE | --kubeconfig-from COMMAND] [-- COMMAND ARGUMENT...]
//
// It serves until it is interrupted, or until the command that it starts has ended.
// FILE has the requests that it sends itself at the start; see Setup.
package main
