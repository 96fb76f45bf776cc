"""The former module of the records of algorithms, which names the present one."""

raise ImportError("headgate.law is now headgate.plugin, where MARK is called ECN_MARK")
