@_exported public import ChronicleCore
