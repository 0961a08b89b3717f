// Stores are opened by the name of a configuration. Identifiers and history transactions contain that of a store.
extension ModelContainer {
    /// Returns the identifier of the store that was opened for a configuration, to select the history or the models of one store.
    ///
    /// - Parameter name: The ``DataStoreConfiguration/name`` of the configuration.
    /// - Returns: The ``DataStore/identifier`` of the store, or `nil` if no configuration has the name.
    public func storeIdentifier(forConfigurationNamed name: String) -> String? {
        stores.first { $0.configuration.name == name }?.identifier
    }

    /// Returns the name of the configuration that a store was opened for.
    ///
    /// - Parameter identifier: The ``DataStore/identifier`` of a store, for example of a model or a transaction.
    /// - Returns: The ``DataStoreConfiguration/name`` of its configuration, or `nil` if the container has no such store.
    public func configurationName(forStoreIdentifier identifier: String) -> String? {
        stores.first { $0.identifier == identifier }?.configuration.name
    }
}
